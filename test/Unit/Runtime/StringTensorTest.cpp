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

/// A number from elsewhere is an error, not an empty string.
TEST_F(StringVariables, UnknownNumbersAreNotSaved) {
  StringTable table({"Kiwi"});
  Program program(&table);
  for (int64_t number : {int64_t(2), int64_t(-1), INT64_MAX}) {
    program.numbers[1] = number;
    EXPECT_ERROR(saveVariables(program.state, path("m")), kInvalidArgument,
                 "variable 'names' has the number " + std::to_string(number) +
                     ", which stands for no string");
  }
  EXPECT_EQ(numFiles(), 0u);
}

/// A file may claim more bytes than there is memory for.
TEST_F(StringVariables, HugeFilesAreErrors) {
  uint64_t huge = uint64_t(8) << 40;
  auto makeFile = [&](int64_t length) {
    std::string end = std::to_string(huge);
    std::string lengths(reinterpret_cast<const char *>(&length), 8);
    write("huge",
          fileBytes(R"({"names:lengths":{"dtype":"I64","shape":[1],)"
                    R"("data_offsets":[0,8]},"names:bytes":{"dtype":"U8",)"
                    R"("shape":[)" +
                        end + R"(],"data_offsets":[8,)" +
                        std::to_string(huge + 8) + "]}}",
                    lengths));
    uint64_t size = std::filesystem::file_size(path("huge"));
    std::error_code error;
    std::filesystem::resize_file(path("huge"), size + huge, error);
    return !error;
  };
  if (!makeFile(3))
    GTEST_SKIP() << "the file system has no such large files";
  StringTable table;
  Program program(&table);
  program.state.variables[0].shape = {1};
  Status status = restoreVariables(program.state, path("huge"));
  EXPECT_FALSE(status.isOk());
  EXPECT_TRUE(status.code() == StatusCode::kDataLoss ||
              status.code() == StatusCode::kResourceExhausted)
      << status.message();
  // Lengths that fit.
  ASSERT_TRUE(makeFile(int64_t(huge)));
  EXPECT_ERROR(restoreVariables(program.state, path("huge")),
               kResourceExhausted, "no memory for the");
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
