//===- SafetensorsTest.cpp - Writing and reading well-formed files ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Safetensors.h"

#include "TestSupport.h"

#include "flywheel/Runtime/AtomicFile.h"

#include <cstring>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

using SafetensorsTest = TemporaryDirectoryTest;

/// The file that holds a = int16 [[1, 2]], b = uint8 [3, 4, 5].
std::string tinyFile() {
  return fileBytes(
      "{\"__metadata__\":{\"k\":\"v\"},"
      "\"a\":{\"dtype\":\"I16\",\"shape\":[1,2],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4,7]}}   ",
      std::string("\1\0\2\0\3\4\5", 7));
}

TEST_F(SafetensorsTest, WritesTheExpectedBytes) {
  int16_t a[] = {1, 2};
  uint8_t b[] = {3, 4, 5};
  // The order of the arguments has no influence.
  ASSERT_OK(writeSafetensors(
      path("f"), {{"b", DType::U8, {3}, b}, {"a", DType::I16, {1, 2}, a}},
      {{"k", "v"}}));
  EXPECT_EQ(read("f"), tinyFile());
}

TEST_F(SafetensorsTest, ReadsTheExpectedBytes) {
  write("f", tinyFile());
  Result<SafetensorsFile> file = SafetensorsFile::open(path("f"));
  ASSERT_OK(file.status());
  EXPECT_EQ(file->path(), path("f"));
  EXPECT_EQ(file->metadata(), (Metadata{{"k", "v"}}));
  ASSERT_EQ(file->tensors().size(), 2u);
  const TensorInfo *a = file->find("a"), *b = file->find("b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(file->find("c"), nullptr);
  EXPECT_EQ(a->dtype, DType::I16);
  EXPECT_EQ(a->shape, (Shape{1, 2}));
  EXPECT_EQ(std::memcmp(file->data(*a), "\1\0\2\0", 4), 0);
  EXPECT_EQ(b->byteSize(), 3u);
  EXPECT_EQ(std::memcmp(file->data(*b), "\3\4\5", 3), 0);
}

TEST_F(SafetensorsTest, RoundTripsEveryDType) {
  std::vector<std::vector<uint8_t>> contents(numDTypes);
  std::vector<TensorView> views;
  for (unsigned i = 0; i < numDTypes; ++i) {
    contents[i].resize(6 * dtypeSize(DType(i)));
    for (size_t j = 0; j < contents[i].size(); ++j)
      contents[i][j] = uint8_t(37 * i + 11 * j);
    views.push_back(
        {"scope/v" + std::to_string(i), DType(i), {2, 3}, contents[i].data()});
  }
  ASSERT_OK(writeSafetensors(path("f"), views));
  Result<SafetensorsFile> file = SafetensorsFile::open(path("f"));
  ASSERT_OK(file.status());
  ASSERT_EQ(file->tensors().size(), numDTypes);
  for (const TensorView &view : views) {
    const TensorInfo *info = file->find(view.name);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->dtype, view.dtype);
    EXPECT_EQ(info->shape, view.shape);
    EXPECT_EQ(std::memcmp(file->data(*info), view.data, info->byteSize()), 0);
    EXPECT_EQ(uintptr_t(file->data(*info)) % dtypeSize(view.dtype), 0u);
  }
}

TEST_F(SafetensorsTest, ScalarsEmptyTensorsAndOddNames) {
  double scalar = 2.5;
  std::string odd = "a \"quoted\"\\\n\t\x01/gr\xc3\xbc\xc3\x9f";
  ASSERT_OK(writeSafetensors(path("f"),
                             {{odd, DType::F64, {}, &scalar},
                              {"", DType::F32, {0, 5}, nullptr},
                              {"empty", DType::I64, {5, 0}, nullptr}},
                             {{odd, odd}}));
  Result<SafetensorsFile> file = SafetensorsFile::open(path("f"));
  ASSERT_OK(file.status());
  EXPECT_EQ(file->metadata().at(odd), odd);
  ASSERT_TRUE(file->find(odd));
  EXPECT_TRUE(file->find(odd)->shape.empty());
  EXPECT_EQ(std::memcmp(file->data(*file->find(odd)), &scalar, 8), 0);
  ASSERT_TRUE(file->find(""));
  EXPECT_EQ(file->find("")->shape, (Shape{0, 5}));
  EXPECT_EQ(file->find("empty")->byteSize(), 0u);
}

TEST_F(SafetensorsTest, NoTensorsAtAll) {
  ASSERT_OK(writeSafetensors(path("f"), {}));
  EXPECT_EQ(read("f"), fileBytes("{}      ", ""));
  EXPECT_OK(SafetensorsFile::open(path("f")).status());
}

TEST_F(SafetensorsTest, FileSurvivesAMove) {
  Result<SafetensorsFile> parsed = parseBytes(tinyFile());
  ASSERT_OK(parsed.status());
  SafetensorsFile file = std::move(*parsed);
  ASSERT_TRUE(file.find("b"));
  EXPECT_EQ(file.data(*file.find("b"))[0], std::byte(3));
}

TEST_F(SafetensorsTest, WriterRefusesBadArguments) {
  int8_t byte = 0;
  auto save = [&](std::vector<TensorView> tensors, Metadata metadata = {}) {
    Status status = writeSafetensors(path("f"), tensors, metadata);
    EXPECT_EQ(numFiles(), 0u);
    return status;
  };
  TensorView good = {"a", DType::I8, {1}, &byte};
  EXPECT_ERROR(save({good, good}), kInvalidArgument, "\"a\": duplicate key");
  EXPECT_ERROR(save({{"__metadata__", DType::I8, {1}, &byte}}),
               kInvalidArgument, "reserved");
  EXPECT_ERROR(save({{"\xff", DType::I8, {1}, &byte}}), kInvalidArgument,
               "UTF-8");
  EXPECT_ERROR(save({{"a", DType::I8, {-1}, &byte}}), kInvalidArgument, "[-1]");
  EXPECT_ERROR(save({{"a", DType::I8, {INT64_MAX, 2}, &byte}}),
               kInvalidArgument, "overflows");
  EXPECT_ERROR(save({{"a", DType::I8, Shape(65, 1), &byte}}), kInvalidArgument,
               "rank");
  EXPECT_ERROR(save({{"a", DType::I8, {1}, nullptr}}), kInvalidArgument,
               "null");
  EXPECT_ERROR(save({{"a", DType::I8, {INT64_MAX}, &byte},
                     {"b", DType::I8, {INT64_MAX}, &byte}}),
               kInvalidArgument, "total size");
  EXPECT_ERROR(save({good}, {{"k", "\xff"}}), kInvalidArgument, "UTF-8");
}

TEST_F(SafetensorsTest, OpenReportsWhatItCannotRead) {
  EXPECT_ERROR(SafetensorsFile::open(path("none")).status(), kNotFound,
               path("none"));
  EXPECT_ERROR(SafetensorsFile::open(path("none/f")).status(), kNotFound,
               path("none/f"));
  EXPECT_ERROR(SafetensorsFile::open("").status(), kNotFound, "can't read");
  EXPECT_ERROR(SafetensorsFile::open(directory).status(), kIOError,
               "not a regular file");
  EXPECT_ERROR(SafetensorsFile::open("/dev/null").status(), kIOError,
               "not a regular file");
}

TEST_F(SafetensorsTest, AtomicWriteReplacesAndCleansUp) {
  std::string first = "first", second = "2nd";
  ASSERT_OK(writeFileAtomically(path("f"), {{first.data(), first.size()}}));
  EXPECT_EQ(read("f"), first);
  ASSERT_OK(writeFileAtomically(
      path("f"), {{second.data(), 1}, {nullptr, 0}, {second.data() + 1, 2}}));
  EXPECT_EQ(read("f"), second);
  EXPECT_EQ(numFiles(), 1u);
  // The longest possible name still leaves room for the temporary file.
  EXPECT_OK(writeFileAtomically(path(std::string(255, 'n')), {}));
  EXPECT_ERROR(writeFileAtomically(path(std::string(256, 'n')), {}), kIOError,
               "can't write");
  EXPECT_EQ(numFiles(), 2u);
}

TEST_F(SafetensorsTest, AtomicWriteReportsBadDestinations) {
  std::string missing = path("none/f");
  EXPECT_ERROR(writeFileAtomically(missing, {}), kFailedPrecondition,
               "Parent directory of " + missing + " doesn't exist, can't save");
  write("file", "x");
  EXPECT_ERROR(writeFileAtomically(path("file/f"), {}), kFailedPrecondition,
               "doesn't exist, can't save");
  EXPECT_ERROR(writeFileAtomically(directory, {}), kInvalidArgument,
               "is a directory");
  EXPECT_ERROR(writeFileAtomically(directory + "/", {}), kInvalidArgument,
               "is a directory");
  EXPECT_ERROR(writeFileAtomically("", {}), kInvalidArgument, "empty path");
  EXPECT_ERROR(writeFileAtomically(std::string("/tmp/a\0b", 8), {}),
               kInvalidArgument, "null byte");
  EXPECT_EQ(numFiles(), 1u);
}

} // namespace
