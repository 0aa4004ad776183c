//===- ObjectFileTest.cpp - Machine code for several machines -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "flywheel/Model/CNames.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Host.h"

using namespace flywheel;
using flywheel::test::AdderTest;

namespace {

/// A kernel whose loop is on 512-bit vectors.
constexpr const char *kWide = R"mlir(
module attributes {train.manifest = {
  model = "wide", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f",
    feeds = [{name = "x", type = tensor<16xf32>, symbols = array<i64: -1>}],
    results = [{name = "y", type = tensor<16xf32>, symbols = array<i64: -1>}],
    symbols = [], reads = array<i64>, writes = array<i64>, workspace = [],
    checks = array<i64>}],
  messages = []}} {
  func.func @f.kernel(%state: memref<?xi8>, %ws: memref<?xi8>,
                      %x: memref<16xf32>, %y: memref<16xf32>) -> i32 {
    %0 = arith.constant 0 : index
    %a = vector.load %x[%0] : memref<16xf32>, vector<16xf32>
    %b = arith.mulf %a, %a : vector<16xf32>
    %c = arith.addf %b, %a : vector<16xf32>
    vector.store %c, %y[%0] : memref<16xf32>, vector<16xf32>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
)mlir";

std::string compileWide(mlir::MLIRContext &context, CodegenOptions options) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      test::lowerToEntryPoints(context, kWide);
  EXPECT_TRUE(module);
  llvm::Expected<MachineModule> code = MachineModule::create(*module, options);
  if (!code)
    return llvm::toString(code.takeError());
  llvm::Expected<std::string> text = code->getAssembly();
  if (!text)
    return llvm::toString(text.takeError());
  return *text;
}

TEST(ObjectFile, WideVectorsStayWhole) {
  mlir::MLIRContext context;
  CodegenOptions options;
  options.target.triple = "x86_64-unknown-linux-gnu";
  // This CPU is tuned to prefer 256 bits.
  options.target.cpu = "skylake-avx512";
  std::string text = compileWide(context, options);
  EXPECT_NE(text.find("vmulps\t%zmm"), std::string::npos) << text;
  EXPECT_EQ(text.find("vmulps\t%ymm"), std::string::npos) << text;
  // A product and a sum that the IR keeps apart stay apart.
  EXPECT_EQ(text.find("vfmadd"), std::string::npos) << text;
}

TEST(ObjectFile, CrossTargets) {
  mlir::MLIRContext context;
  CodegenOptions options;
  options.target.triple = "aarch64-linux-gnu";
  std::string text = compileWide(context, options);
  EXPECT_NE(text.find("fmul\tv"), std::string::npos) << text;

  options.target.triple = "riscv64-linux-gnu";
  EXPECT_NE(compileWide(context, options).find("wide_f"), std::string::npos);

  options.target.triple = "nowhere-unknown-none";
  text = compileWide(context, options);
  EXPECT_NE(text.find("no target for the triple 'nowhere-unknown-none'; "
                      "supported architectures: "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("x86_64"), std::string::npos) << text;

  options.target.triple = "x86_64-linux-gnu";
  options.target.cpu = "abacus";
  EXPECT_NE(compileWide(context, options).find("has no CPU 'abacus'"),
            std::string::npos);
}

/// The compiler is a guest in the process, whose options other users of LLVM
/// rely on.
TEST_F(AdderTest, LeavesTheOptionsOfTheProcess) {
  llvm::Expected<MachineModule> code = MachineModule::create(*module, {});
  ASSERT_TRUE(bool(code));
  ASSERT_TRUE(bool(code->getObject()));
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-lsr");
  ASSERT_NE(found, options.end());
  EXPECT_FALSE(static_cast<llvm::cl::opt<bool> &>(*found->second));
}

/// A kernel in which each thread of a parallel region adds 1 to y.
constexpr const char *kParallel = R"mlir(
module attributes {train.manifest = {
  model = "parallel", layout_hash = 1 : i64, state_bytes = 576 : i64,
  variables = [],
  entries = [{name = "f", feeds = [],
    results = [{name = "y", type = tensor<i32>, symbols = array<i64>}],
    symbols = [], reads = array<i64>, writes = array<i64>, workspace = [],
    checks = array<i64>}],
  messages = []}} {
  func.func @f.kernel(%state: memref<?xi8>, %ws: memref<?xi8>,
                      %y: memref<i32>) -> i32 {
    %threads = arith.constant 2 : i32
    %one = arith.constant 1 : i32
    omp.parallel num_threads(%threads : i32) {
      %old = memref.atomic_rmw addi %one, %y[] : (i32, memref<i32>) -> i32
      omp.terminator
    }
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
)mlir";

TEST(JIT, LoadsTheOpenMPRuntime) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      test::lowerToEntryPoints(context, kParallel);
  ASSERT_TRUE(module);
  auto program = Program::create(*module);
  ASSERT_TRUE(program.isOk()) << program.status().message();
  auto session = Session::create(*program);
  ASSERT_TRUE(session.isOk());
  int32_t y = 40;
  ASSERT_TRUE(
      (*session)->call("f", {}, {{runtime::DType::I32, {}, &y}}).isOk());
  EXPECT_EQ(y, 42);
}

TEST_F(AdderTest, ObjectExportsTheInterfaceOnly) {
  std::vector<StageTime> times;
  llvm::Expected<MachineModule> code =
      MachineModule::create(*module, {}, &times);
  ASSERT_TRUE(bool(code));
  auto object = code->getObject(&times);
  ASSERT_TRUE(bool(object));
  auto file = llvm::object::ObjectFile::createObjectFile(**object);
  ASSERT_TRUE(bool(file));
  std::vector<std::string> exported;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    bool isVisible = (flags & llvm::object::SymbolRef::SF_Global) &&
                     (flags & llvm::object::SymbolRef::SF_Exported) &&
                     !(flags & llvm::object::SymbolRef::SF_Undefined);
    if (isVisible)
      exported.push_back(llvm::cantFail(symbol.getName()).str());
  }
  llvm::sort(exported);
  // Each function, and the name by which this object's header calls it.
  std::string hash =
      getInterfaceHash(program->getManifest(), test::kMaxDimSize);
  std::vector<std::string> expected;
  for (const char *name : {"adder_init", "adder_init_some", "adder_last_error",
                           "adder_set", "adder_step"}) {
    expected.push_back(name);
    expected.push_back(getLinkedSymbol(name, hash));
  }
  llvm::sort(expected);
  EXPECT_EQ(exported, expected);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].stage, "translate-to-llvm-ir");
  EXPECT_EQ(times[1].stage, "optimize-llvm-ir");
  EXPECT_EQ(times[2].stage, "generate-machine-code");
}

/// This process has conversions of f16, from the C compiler's library: code
/// that calls them could not be linked elsewhere, and is not run here either.
TEST(JIT, FindsNoCompilerRuntime) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.func @__extendhfsf2(f32) -> f32
llvm.func @f(%x: f32) -> f32 {
  %y = llvm.call @__extendhfsf2(%x) : (f32) -> f32
  llvm.return %y : f32
}
)mlir",
                                                        &context);
  ASSERT_TRUE(module);
  llvm::Expected<MachineModule> code =
      MachineModule::create(*module, CodegenOptions());
  ASSERT_TRUE(bool(code));
  auto jit = JIT::create(*code);
  ASSERT_TRUE(bool(jit));
  testing::internal::CaptureStderr();
  auto found = (*jit)->lookup("f");
  std::string errors = testing::internal::GetCapturedStderr();
  ASSERT_FALSE(bool(found));
  llvm::consumeError(found.takeError());
  EXPECT_NE(errors.find("Symbols not found: [ __extendhfsf2 ]"),
            std::string::npos)
      << errors;
}

TEST_F(AdderTest, JITRefusesOtherMachines) {
  CodegenOptions options;
  options.target.triple = "riscv64-linux-gnu";
  llvm::Expected<MachineModule> code = MachineModule::create(*module, options);
  ASSERT_TRUE(bool(code));
  auto jit = JIT::create(*code);
  ASSERT_FALSE(bool(jit));
  EXPECT_NE(llvm::toString(jit.takeError()).find("cannot run code for"),
            std::string::npos);
}

TEST_F(AdderTest, JITRefusesInstructionsOfOtherMachines) {
  std::string missing;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (!feature.second && feature.first().starts_with("avx"))
      missing = feature.first().str();
  if (missing.empty())
    GTEST_SKIP() << "the host has all of them, or none of that name";
  CodegenOptions options;
  options.target.features = "+" + missing;
  llvm::Expected<MachineModule> code = MachineModule::create(*module, options);
  ASSERT_TRUE(bool(code));
  auto jit = JIT::create(*code);
  ASSERT_FALSE(bool(jit));
  std::string error = llvm::toString(jit.takeError());
  EXPECT_NE(error.find("on this machine, which has no "), std::string::npos);
  EXPECT_NE(error.find(missing), std::string::npos) << error;
}

} // namespace
