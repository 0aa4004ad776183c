//===- ModulePartsTest.cpp - Objects that several threads made ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/JIT.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

#include <map>

using namespace flywheel;

namespace {

constexpr unsigned kNumFunctions = 8;
constexpr unsigned kNumSteps = 700;

/// A module that is large enough for several parts. Function i multiplies and
/// adds often, adds what a table, a large table and a counter have, and calls
/// function i - 1 by its address; the last one is known under two names.
std::string getLargeModule() {
  std::string text = R"mlir(
llvm.mlir.global internal @counter(0 : i64) : i64
llvm.mlir.global private unnamed_addr constant @table(dense<[5, 6, 7, 8, 9, 10, 11, 12]> : tensor<8xi64>) : !llvm.array<8 x i64>
llvm.mlir.global internal constant @large(dense<3> : tensor<1000xi64>) : !llvm.array<1000 x i64>
llvm.mlir.alias external @other : !llvm.func<i64 (i64)> {
  %0 = llvm.mlir.addressof @last : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @last(%x: i64) -> i64 {
  %0 = llvm.call @f7(%x) : (i64) -> i64
  llvm.return %0 : i64
}
)mlir";
  auto line = [&](const std::string &what) { text += "  " + what + "\n"; };
  for (unsigned i = 0; i < kNumFunctions; ++i) {
    std::string number = std::to_string(i);
    text += "llvm.func internal @f" + number +
            "(%x: i64) -> i64 attributes {no_inline} {\n";
    line("%factor = llvm.mlir.constant(" + std::to_string(2 * i + 3) +
         " : i64) : i64");
    line("%v0 = llvm.mul %x, %factor : i64");
    for (unsigned j = 0; j < kNumSteps; ++j) {
      std::string from = std::to_string(2 * j);
      line("%v" + std::to_string(2 * j + 1) + " = llvm.xor %v" + from +
           ", %x : i64");
      line("%v" + std::to_string(2 * j + 2) + " = llvm.mul %v" +
           std::to_string(2 * j + 1) + ", %factor : i64");
    }
    line("%counter = llvm.mlir.addressof @counter : !llvm.ptr");
    line("%one = llvm.mlir.constant(1 : i64) : i64");
    line("%old = llvm.load %counter : !llvm.ptr -> i64");
    line("%new = llvm.add %old, %one : i64");
    line("llvm.store %new, %counter : i64, !llvm.ptr");
    line("%table = llvm.mlir.addressof @table : !llvm.ptr");
    line("%index = llvm.and %x, %one : i64");
    line("%place = llvm.getelementptr %table[%index] : (!llvm.ptr, i64) -> "
         "!llvm.ptr, i64");
    line("%entry = llvm.load %place : !llvm.ptr -> i64");
    line("%large = llvm.mlir.addressof @large : !llvm.ptr");
    line("%far = llvm.getelementptr %large[%index] : (!llvm.ptr, i64) -> "
         "!llvm.ptr, i64");
    line("%three = llvm.load %far : !llvm.ptr -> i64");
    line("%sum = llvm.add %v" + std::to_string(2 * kNumSteps) +
         ", %entry : i64");
    line("%more = llvm.add %sum, %three : i64");
    line("%counted = llvm.add %more, %new : i64");
    if (i == 0) {
      line("llvm.return %counted : i64");
    } else {
      std::string callee = std::to_string(i - 1);
      line("%callee = llvm.mlir.addressof @f" + callee + " : !llvm.ptr");
      line("%result = llvm.call %callee(%counted) : !llvm.ptr, (i64) -> i64");
      line("llvm.return %result : i64");
    }
    text += "}\n";
  }
  return text;
}

/// Returns the result of the first call of `last`.
uint64_t computeLast(uint64_t x) {
  uint64_t counter = 0;
  for (unsigned i = kNumFunctions; i-- > 0;) {
    uint64_t factor = 2 * i + 3, value = x * factor;
    for (unsigned j = 0; j < kNumSteps; ++j)
      value = (value ^ x) * factor;
    x = value + (5 + (x & 1)) + 3 + ++counter;
  }
  return x;
}

class ModuleParts : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<mlir::LLVM::LLVMDialect>();
    module =
        mlir::parseSourceString<mlir::ModuleOp>(getLargeModule(), &context);
    ASSERT_TRUE(module);
  }
  std::string makeObject(const CodegenOptions &options, size_t &numParts) {
    llvm::Expected<MachineModule> code =
        MachineModule::create(*module, options);
    if (!code)
      return llvm::toString(code.takeError());
    numParts = code->getNumParts();
    auto object = code->getObject();
    return object ? (*object)->getBuffer().str()
                  : llvm::toString(object.takeError());
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(ModuleParts, ReferToEachOther) {
  for (bool split : {false, true}) {
    CodegenOptions options;
    options.split = split;
    llvm::Expected<MachineModule> code =
        MachineModule::create(*module, options);
    ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
    if (split)
      EXPECT_GT(code->getNumParts(), 2u);
    else
      EXPECT_EQ(code->getNumParts(), 1u);
    auto jit = JIT::create(*code);
    ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
    using Function = uint64_t (*)(uint64_t);
    auto last = (*jit)->lookup("last"), other = (*jit)->lookup("other");
    ASSERT_TRUE(bool(last)) << llvm::toString(last.takeError());
    ASSERT_TRUE(bool(other)) << llvm::toString(other.takeError());
    EXPECT_EQ(*last, *other);
    EXPECT_EQ(reinterpret_cast<Function>(*last)(12345), computeLast(12345));
  }
}

// T23: the parts are the same on any number of threads.
TEST_F(ModuleParts, DoNotDependOnTheThreads) {
  CodegenOptions options;
  size_t numParts = 0, numSerial = 0;
  std::string object = makeObject(options, numParts);
  context.disableMultithreading();
  EXPECT_EQ(makeObject(options, numSerial), object);
  EXPECT_EQ(numSerial, numParts);
}

/// The symbols of the whole object are those of an object of one part: what was
/// local to the module is local to the object, and nothing is undefined.
TEST_F(ModuleParts, HaveTheSymbolsOfOne) {
  std::map<std::string, std::tuple<int, int, bool>> symbols[2];
  for (bool split : {false, true}) {
    CodegenOptions options;
    options.split = split;
    options.target.triple = "aarch64-linux-gnu";
    size_t numParts = 0;
    std::string object = makeObject(options, numParts);
    EXPECT_EQ(numParts > 1, split);
    auto file = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(object, "object"));
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    for (llvm::object::ELFSymbolRef symbol :
         llvm::cast<llvm::object::ELFObjectFileBase>(**file).symbols()) {
      std::string name = llvm::cantFail(symbol.getName()).str();
      if (symbol.getELFType() == llvm::ELF::STT_FUNC ||
          symbol.getELFType() == llvm::ELF::STT_OBJECT)
        symbols[split][name] = {symbol.getBinding(), symbol.getOther(),
                                (llvm::cantFail(symbol.getFlags()) &
                                 llvm::object::BasicSymbolRef::SF_Undefined) !=
                                    0};
    }
    // Private, so that an object of one part has no symbol for it.
    symbols[split].erase("table");
  }
  EXPECT_EQ(symbols[false], symbols[true]);
  EXPECT_EQ(symbols[true].count("f0"), 1u);
}

/// Machines whose objects are not merged have one part.
TEST_F(ModuleParts, AreOfMachinesThatHaveThem) {
  CodegenOptions options;
  options.target.triple = "riscv64-linux-gnu";
  size_t numParts = 0;
  makeObject(options, numParts);
  EXPECT_EQ(numParts, 1u);
  options = {};
  options.optimizationLevel = 0;
  makeObject(options, numParts);
  EXPECT_EQ(numParts, 1u);
}

} // namespace
