//===- OptionTableTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/OptionTable.h"

#include "flywheel/Driver/Compiler.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace flywheel;

/// Options as they are when stages read them.
static CompilerOptions getDefaults() {
  CompilerOptions options;
  options.lowering = Lowering::Optimized;
  options.maxDimSizes.emplace();
  options.threads.given = 1;
  return options;
}

/// Returns the passes of `stage`, without the one that records the options.
static std::string printPasses(const Stage &stage,
                               const CompilerOptions &options) {
  mlir::OpPassManager pm(mlir::ModuleOp::getOperationName());
  stage.populate(pm, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

/// Values to try: two for what another option switches.
static std::vector<std::string> getTexts(const OptionInfo &option) {
  if (option.isFlag())
    return {"true"};
  if (std::holds_alternative<NumberKind>(option.kind))
    return {"3"};
  if (std::holds_alternative<LoweringKind>(option.kind))
    return {"reference"};
  if (std::holds_alternative<BoundsKind>(option.kind))
    return {"7,time=9"};
  if (option.name == "passes")
    return {"cse,func.func(canonicalize)"};
  return {option.name == "target" ? "cuda:sm_80" : "any"};
}

TEST(OptionTable, TheStageIsTheFirstThatReads) {
  // The value of one option is names of passes.
  registerAllFlywheelPasses();
  for (const OptionInfo &option : getOptionTable()) {
    CompilerOptions plain = getDefaults();
    // Some are read only where others are given.
    plain.frozenCheckpoint = option.name == "freeze" ? "" : "file";
    for (const std::string &text : getTexts(option)) {
      CompilerOptions other = plain;
      ASSERT_FALSE(bool(option.parse(other, text))) << option.name.str();
      std::string first;
      for (const Stage &stage : getStages()) {
        if (first.empty() &&
            printPasses(stage, plain) != printPasses(stage, other))
          first = stage.name.str();
        // Any stage may report.
        if (option.stage.empty())
          first = "";
        // Recorded by the first stage, whichever reads it.
        if (option.isOpen)
          first = getStages().front().name.str();
      }
      EXPECT_EQ(first, option.stage.str()) << option.name.str();
    }
  }
}

TEST(OptionTable, ValuesAreReadBack) {
  std::set<std::string> names;
  for (const OptionInfo &option : getOptionTable()) {
    EXPECT_TRUE(names.insert(option.name.str()).second) << option.name.str();
    CompilerOptions options, copy;
    EXPECT_FALSE(option.isGiven(options)) << option.name.str();
    ASSERT_FALSE(bool(option.parse(options, getTexts(option).front())));
    EXPECT_TRUE(option.isGiven(options)) << option.name.str();
    ASSERT_FALSE(bool(option.set(copy, option.get(options))));
    EXPECT_EQ(option.get(copy), option.get(options)) << option.name.str();
    // No other option has changed.
    for (const OptionInfo &other : getOptionTable())
      EXPECT_EQ(other.isGiven(options), &other == &option)
          << option.name.str() << " sets " << other.name.str();
    // The default of each is a value too: records have it.
    ASSERT_FALSE(bool(option.set(copy, option.get(CompilerOptions()))));
    EXPECT_FALSE(option.isGiven(copy)) << option.name.str();
  }
}

TEST(OptionTable, RulesNameOptions) {
  for (const OptionInfo &option : getOptionTable())
    for (llvm::StringRef name : {option.needs, option.excludes})
      EXPECT_TRUE(name.empty() || findOption(name)) << name.str();
  CompilerOptions options;
  options.frozenVariables = {"w"};
  auto spell = [](const OptionInfo &option) { return "--" + option.getFlag(); };
  EXPECT_EQ(llvm::toString(checkOptions(options, spell)),
            "--freeze-variables needs --freeze");
  options = {};
  options.initialCheckpoint = options.externalCheckpoint = "file";
  EXPECT_EQ(llvm::toString(checkOptions(options, spell)),
            "--initial-values and --external-values exclude each other");
}

TEST(OptionTable, WrongValuesChangeNothing) {
  auto expect = [](llvm::StringRef name, llvm::StringRef text,
                   llvm::StringRef error) {
    CompilerOptions options;
    const OptionInfo &option = *findOption(name);
    EXPECT_EQ(llvm::toString(option.parse(options, text)), error.str());
    EXPECT_FALSE(option.isGiven(options)) << name.str();
  };
  expect("threads", "257",
         "expected a whole number from 1 to 256, found '257'");
  expect("threads", "two",
         "expected a whole number from 1 to 256, found 'two'");
  expect("memory_budget", "-1",
         "expected a number of bytes, such as 65536, 64KiB or 2MiB, found "
         "'-1'");
  expect("lowering", "fast", "expected optimized or reference, found 'fast'");
  expect("winograd", "maybe", "expected true or false, found 'maybe'");
  expect("max_dim_size", "0", "expected a bound within [1, 16777216], found 0");
  expect("max_dim_size", "time",
         "expected NAME=N, such as time=256, found 'time'");
  expect("cpu", "", "expected a value, found an empty one");
  expect("target_cores", "0",
         "expected a whole number of at least 1, found '0'");
  EXPECT_EQ(findOption("memory-budget"), nullptr);
}
