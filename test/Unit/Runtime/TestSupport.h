//===- TestSupport.h - What the runtime's tests share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_UNIT_RUNTIME_TESTSUPPORT_H
#define FLYWHEEL_TEST_UNIT_RUNTIME_TESTSUPPORT_H

#include "flywheel/Runtime/Safetensors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace flywheel::runtime::test {

/// A fixture with a directory of its own, removed at the end.
class TemporaryDirectoryTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "flywheel-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  std::string path(const std::string &name) const {
    return directory + "/" + name;
  }
  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string read(const std::string &name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  size_t numFiles() const {
    std::filesystem::directory_iterator begin(directory), end;
    return size_t(std::distance(begin, end));
  }

  std::string directory;
};

/// The bytes of a file with the header \p json and the data section \p data.
inline std::string fileBytes(const std::string &json, const std::string &data) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i)
    bytes += char((uint64_t(json.size()) >> (8 * i)) & 0xff);
  return bytes + json + data;
}

inline Result<SafetensorsFile> parseBytes(const std::string &bytes) {
  return SafetensorsFile::parse(bytes.data(), bytes.size(), "test.file");
}

} // namespace flywheel::runtime::test

/// Expects an error with this code whose text contains \p text.
#define EXPECT_ERROR(status, expectedCode, text)                               \
  do {                                                                         \
    const ::flywheel::runtime::Status &checked = (status);                     \
    EXPECT_EQ(checked.code(), ::flywheel::runtime::StatusCode::expectedCode)   \
        << checked.message();                                                  \
    EXPECT_NE(checked.message().find(text), std::string::npos)                 \
        << "the text is: " << checked.message();                               \
  } while (false)

#define EXPECT_OK(status)                                                      \
  do {                                                                         \
    const ::flywheel::runtime::Status &checked = (status);                     \
    EXPECT_TRUE(checked.isOk()) << checked.message();                          \
  } while (false)

#define ASSERT_OK(status)                                                      \
  do {                                                                         \
    const ::flywheel::runtime::Status &checked = (status);                     \
    ASSERT_TRUE(checked.isOk()) << checked.message();                          \
  } while (false)

#endif // FLYWHEEL_TEST_UNIT_RUNTIME_TESTSUPPORT_H
