//===- StringTensorTest.cpp - Strings in files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/StringTensor.h"
#include "flywheel/Runtime/VariableCheckpoint.h"

#include <gtest/gtest.h>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

TEST(StringTensor, PacksAndUnpacks) {
  std::vector<std::string_view> texts = {"Fruit", "",
                                         std::string_view("\0x", 2)};
  StringTensor tensor = packStrings(texts);
  EXPECT_EQ(tensor.bytes, std::string("Fruit\0x", 7));
  EXPECT_EQ(tensor.lengths, (std::vector<int64_t>{5, 0, 2}));
  Result<std::vector<std::string_view>> unpacked = unpackStrings(tensor);
  ASSERT_TRUE(unpacked.isOk());
  EXPECT_EQ(*unpacked, texts);
}

TEST(StringTensor, LengthsMustFitTheBytes) {
  for (std::vector<int64_t> lengths :
       {std::vector<int64_t>{1, 1}, {4}, {-1, 4}, {INT64_MAX, INT64_MAX}, {}}) {
    Result<std::vector<std::string_view>> unpacked =
        unpackStrings({"abc", lengths});
    ASSERT_FALSE(unpacked.isOk());
    EXPECT_EQ(unpacked.status().code(), StatusCode::kDataLoss);
  }
}

using StringVariables = TemporaryDirectoryTest;

/// A program with one variable of two strings.
struct Program {
  explicit Program(StringTable *table) {
    state.model = "m";
    state.seed = &seed;
    state.strings = table;
    state.variables.push_back(
        {"names", DType::String, {2}, numbers, &initialized, &runs});
  }
  int64_t numbers[2] = {0, 0};
  uint64_t seed = 0, runs = 0;
  std::byte initialized{1};
  ProgramState state;
};

TEST_F(StringVariables, KeepTheirTextsAmongTables) {
  std::string path = this->path("strings.safetensors");
  StringTable table({"Kiwi"}), other({"x", "y", "Fruit"});
  Program saved(&table), restored(&other);
  saved.numbers[0] = table.intern("Fruit");
  saved.numbers[1] = table.intern("Kiwi");
  ASSERT_TRUE(saveVariables(saved.state, path).isOk());
  ASSERT_TRUE(restoreVariables(restored.state, path).isOk());
  EXPECT_EQ(restored.numbers[0], 3);
  EXPECT_EQ(other.text(restored.numbers[1]), "Kiwi");
}

TEST_F(StringVariables, AProgramWithoutATableSavesAndRestoresNone) {
  std::string path = this->path("strings.safetensors");
  StringTable table;
  Program saved(&table), other(nullptr);
  ASSERT_TRUE(saveVariables(saved.state, path).isOk());
  EXPECT_EQ(saveVariables(other.state, path).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(restoreVariables(other.state, path).code(),
            StatusCode::kFailedPrecondition);
}

} // namespace
