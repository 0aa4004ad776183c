//===- BackendTest.cpp - A back end from outside --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T64: the back end `tiny` is defined here, as docs/HowTo/AddBackend.md says,
// and takes the devices `tiny` and `tiny:N`. It lowers ops to affine loops.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Backend.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/Pipelines.h"
#include "flywheel/Driver/ProgramCache.h"
#include "flywheel/Session/Session.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace mlir;
using namespace flywheel;
using flywheel::runtime::DType;
using flywheel::runtime::Result;

namespace {

/// The hooks that a compilation has called.
std::vector<std::string> called;

/// A string is the target of the back end: one that no pass of ours knows.
struct StringTarget
    : codegen::TargetAttrInterface::ExternalModel<StringTarget, StringAttr> {
  static bool hasMultiplyAdd(Attribute) { return false; }
  static bool hasHostStack(Attribute) { return true; }
};

BackendFeatures getTinyFeatures() {
  BackendFeatures features;
  features.fusesOps = true;
  features.runsOnHost = true;
  return features;
}

class Tiny : public Backend {
public:
  explicit Tiny(StringLiteral name = "tiny",
                Lowering lowering = Lowering::Optimized)
      : Backend({name, lowering, /*devices=*/"tiny[:N]",
                 /*exampleDevice=*/"tiny", getTinyFeatures()}) {}

  bool takesDevice(StringRef device) const override {
    return device == "tiny" || device.starts_with("tiny:");
  }

  LogicalResult checkOptions(ModuleOp module,
                             const CompilerOptions &options) const override {
    if (options.checkNumerics)
      return emitError(module->getLoc()) << "expected no check of numbers";
    return Backend::checkOptions(module, options);
  }

  Attribute makeTarget(ModuleOp module,
                       const TargetOptions &options) const override {
    unsigned number = 1;
    StringRef text = options.getDevice();
    if (text.consume_front("tiny:") && text.getAsInteger(10, number)) {
      module->emitError() << describeWrongDevice(options.getDevice())
                          << "expected a number";
      return {};
    }
    return StringAttr::get(module.getContext(),
                           (getInfo().name == "tiny" ? "number " : "plain ") +
                               std::to_string(number));
  }

  void populateFusion(OpPassManager &, const CompilerOptions &) const override {
    called.emplace_back("fusion");
  }

  void populateTiles(OpPassManager &, const CompilerOptions &) const override {
    called.emplace_back("tiles");
  }

  void populatePlan(OpPassManager &pm,
                    const CompilerOptions &options) const override {
    called.emplace_back("plan");
    populateWorkspacePlan(pm, makePlanOptions(options));
  }

  void populateLoops(OpPassManager &pm,
                     const CompilerOptions &) const override {
    called.emplace_back("loops");
    pm.addNestedPass<func::FuncOp>(createLowerCopies());
    pm.addNestedPass<func::FuncOp>(createLowerLinalgExt());
    pm.addPass(train::createTrainExpandDraws());
    pm.addNestedPass<func::FuncOp>(createConvertLinalgToAffineLoopsPass());
    pm.addPass(createLowerAffinePass());
    pm.addNestedPass<func::FuncOp>(createLegalizeConversions());
    pm.addNestedPass<func::FuncOp>(createCanonicalizer());
  }

  void populateCode(OpPassManager &, const CompilerOptions &) const override {
    called.emplace_back("code");
  }
};

constexpr StringLiteral kModel = R"mlir(
module {
  train.variable @w : tensor<4xf32> = #train.zeros
  func.func @step(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %d = arith.subf %x, %w : tensor<4xf32>
    %sq = arith.mulf %d, %d : tensor<4xf32>
    %loss = nn.reduce sum %sq axes [0] : tensor<4xf32> -> tensor<f32>
    train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.25>
    return %loss : tensor<f32>
  }
}
)mlir";

class BackendTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(llvm::toString(registerBackend(std::make_unique<Tiny>())), "");
    // T64: each back end has a name and a device of its own.
    EXPECT_EQ(llvm::toString(registerBackend(std::make_unique<Tiny>())),
              "there is a back end 'tiny' already");
    EXPECT_EQ(llvm::toString(registerBackend(
                  std::make_unique<Tiny>(StringLiteral("twin")))),
              "expected a device of its own for the back end 'twin', found "
              "'tiny', which the back end 'tiny' takes");
    // One that fuses, too, for the same device by the other lowering.
    ASSERT_EQ(llvm::toString(registerBackend(std::make_unique<Tiny>(
                  StringLiteral("plain"), Lowering::Reference))),
              "");
  }

  BackendTest() : context(createContext()) {
    StringAttr::attachInterface<StringTarget>(*context);
    called.clear();
    options.cInterface = false;
    options.target.device = "tiny";
  }

  /// Compiles `text`; what the compiler says is in `said`.
  FailureOr<CompiledModule> compile(StringRef text) {
    said.clear();
    ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
      return success();
    });
    DiagnosticPrinter printer;
    OwningOpRef<ModuleOp> module =
        parseModuleText(*context, text, "model.mlir", printer);
    if (!module)
      return failure();
    return compileModule(std::move(module), options);
  }

  /// Returns the errors of a compilation that fails.
  std::string fail(StringRef text = kModel) {
    EXPECT_TRUE(failed(compile(text)));
    return said;
  }

  /// Runs two steps of the model: its minimum is where w is x, and each step
  /// halves the distance.
  void expectSteps(const CompiledModule &compiled) {
    Result<std::shared_ptr<const Program>> program =
        Program::create(*compiled.module);
    ASSERT_TRUE(program.isOk()) << program.status().message();
    Result<std::unique_ptr<Session>> session = Session::create(*program);
    ASSERT_TRUE(session.isOk()) << session.status().message();
    ASSERT_TRUE((*session)->initialize(1).isOk());
    float x[] = {1, 2, 3, 4}, loss = 0;
    int64_t shape[] = {4};
    for (float expected : {30.0f, 7.5f}) {
      ASSERT_TRUE((*session)
                      ->call("step", {{DType::F32, shape, x}},
                             {{DType::F32, {}, &loss}})
                      .isOk());
      EXPECT_EQ(loss, expected);
    }
    Result<ArrayView> w = (*session)->getVariable("w");
    ASSERT_TRUE(w.isOk());
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(static_cast<const float *>(w->data)[i], 0.75f * x[i]);
  }

  std::shared_ptr<MLIRContext> context;
  CompilerOptions options;
  std::string said;
};

TEST_F(BackendTest, CompilesAModel) {
  FailureOr<CompiledModule> compiled = compile(kModel);
  ASSERT_TRUE(succeeded(compiled)) << said;
  EXPECT_EQ(said, "");
  EXPECT_EQ(called, (std::vector<std::string>{"fusion", "tiles", "plan",
                                              "loops", "code"}));
  expectSteps(*compiled);
}

TEST_F(BackendTest, ItsTargetIsInTheModule) {
  options.target.device = "tiny:7";
  options.stopAfter = "flywheel-fuse";
  FailureOr<CompiledModule> compiled = compile(kModel);
  ASSERT_TRUE(succeeded(compiled)) << said;
  EXPECT_EQ((*compiled->module)->getAttr("codegen.target"),
            StringAttr::get(context.get(), "number 7"));
  // Two back ends of one device make targets of their own.
  options.lowering = Lowering::Reference;
  compiled = compile(kModel);
  ASSERT_TRUE(succeeded(compiled)) << said;
  EXPECT_EQ((*compiled->module)->getAttr("codegen.target"),
            StringAttr::get(context.get(), "plain 7"));
  options.lowering.reset();
  options.target.device = "tiny:seven";
  EXPECT_EQ(fail(),
            "'tiny:seven' is not a device such as cuda:sm_90a: expected a "
            "number\n");
}

TEST_F(BackendTest, AModuleAfterAStageKeepsItsBackend) {
  options.stopAfter = "flywheel-linalg";
  FailureOr<CompiledModule> half = compile(kModel);
  ASSERT_TRUE(succeeded(half)) << said;
  EXPECT_TRUE(called.empty());
  std::string text;
  llvm::raw_string_ostream os(text);
  half->module->print(os);
  options.stopAfter.clear();
  options.target.device.clear();
  FailureOr<CompiledModule> compiled = compile(text);
  ASSERT_TRUE(succeeded(compiled)) << said;
  EXPECT_EQ(called.size(), 5u);
  expectSteps(*compiled);
  options.target.device = "cpu";
  EXPECT_TRUE(StringRef(fail(text))
                  .contains("with target \"tiny\", which "
                            "\"cpu\" contradicts"))
      << said;
}

TEST_F(BackendTest, RefusesWhatItDoesNotTake) {
  options.threads.given = 2;
  EXPECT_EQ(fail(), "expected one thread for the target 'tiny', found 2: "
                    "threads share the steps of CPU targets only\n");
  options.threads.given.reset();
  options.checkNumerics = true;
  EXPECT_EQ(fail(), "expected no check of numbers\n");
  options.checkNumerics = false;
  options.lowering = Lowering::Reference;
  options.target.device = "cuda";
  EXPECT_EQ(fail(), "expected the optimized lowering for the target 'cuda', "
                    "found the reference, which is of the target 'cpu'\n");
  options.lowering.reset();
  options.target.device = "shiny";
  EXPECT_EQ(fail(),
            "'shiny' is not a device such as cuda:sm_90a: expected cpu, "
            "cuda[:CHIP][+tf32] or rocm[:CHIP], tiny[:N]\n");
  options.target.device = "tiny";
  EXPECT_EQ(fail(R"mlir(
func.func @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  train.host_call "print" 0(%x) : (tensor<2xf32>) -> ()
  return %x : tensor<2xf32>
})mlir"),
            "'train.host_call' op of kind 'print' is not supported on the "
            "device 'tiny': expected the target cpu\n");
}

TEST_F(BackendTest, IsRegisteredBeforeTheFirstCompilation) {
  ASSERT_TRUE(succeeded(compile(kModel))) << said;
  EXPECT_EQ(llvm::toString(
                registerBackend(std::make_unique<Tiny>(StringLiteral("late")))),
            "expected the back end 'late' to be registered before the first "
            "compilation");
}

TEST_F(BackendTest, WarnsOfOptionsThatItDoesNotRead) {
  options.target.cores = 3;
  // No convolution could be computed by this method.
  options.winograd = true;
  ASSERT_TRUE(succeeded(compile(kModel))) << said;
  EXPECT_EQ(said, "option 'target_cores' has no effect: the back end 'tiny' "
                  "does not read it\n");
}

TEST_F(BackendTest, KeysOfProgramsHaveTheBackend) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&*context));
  options.lowering = Lowering::Optimized;
  options.maxDimSizes.emplace();
  options.cache = CacheRequest{ProgramCache("none"), {}};
  std::string note;
  auto getKey = [&] {
    note.clear();
    return getCacheKey(*module, options, /*hasLocations=*/false, note);
  };
  EXPECT_EQ(getKey(), "");
  EXPECT_EQ(note, "not used for the target 'tiny'");
  options.target.device = "cpu";
  std::string key = getKey();
  EXPECT_NE(key, "");
  options.target.device.clear();
  EXPECT_EQ(getKey(), key);
  options.lowering = Lowering::Reference;
  EXPECT_NE(getKey(), key);
}

} // namespace
