//===- CheckpointTest.cpp - Saving and restoring variables --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checkpoint.h"

#include "TestSupport.h"

#include <algorithm>
#include <cstring>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

/// Two variables of a layer, with destinations that remember being touched.
class CheckpointTest : public TemporaryDirectoryTest {
protected:
  void SetUp() override {
    TemporaryDirectoryTest::SetUp();
    ASSERT_OK(saveCheckpoint(path("ckpt"), variables()));
  }

  std::vector<TensorView> variables() const {
    return {{"layer/W", DType::F32, {2, 3}, weights},
            {"layer/b", DType::I64, {}, &bias},
            {"flag", DType::Bool, {2}, flags}};
  }

  std::vector<RestoreTarget> targets() {
    return {{"layer/W", DType::F32, {2, 3}, newWeights},
            {"layer/b", DType::I64, {}, &newBias},
            {"flag", DType::Bool, {2}, newFlags}};
  }

  /// Restores \p list from \p file, which must fail and change nothing.
  Status failedRestore(const std::string &file,
                       const std::vector<RestoreTarget> &list) {
    Status status = restoreCheckpoint(file, list);
    EXPECT_FALSE(status.isOk());
    for (float weight : newWeights)
      EXPECT_EQ(weight, -1.0f);
    EXPECT_EQ(newBias, -1);
    EXPECT_EQ(newFlags[0], 0);
    return status;
  }

  float weights[6] = {0, 1, 2, 3, 4, 5};
  int64_t bias = 42;
  uint8_t flags[2] = {1, 0};
  float newWeights[6] = {-1, -1, -1, -1, -1, -1};
  int64_t newBias = -1;
  uint8_t newFlags[2] = {0, 0};
};

TEST_F(CheckpointTest, RoundTrip) {
  ASSERT_OK(restoreCheckpoint(path("ckpt"), targets()));
  EXPECT_EQ(std::memcmp(newWeights, weights, sizeof(weights)), 0);
  EXPECT_EQ(newBias, 42);
  EXPECT_EQ(newFlags[0], 1);
}

TEST_F(CheckpointTest, Metadata) {
  ASSERT_OK(saveCheckpoint(path("m"), variables(), {{"writer", "test"}}));
  Result<SafetensorsFile> file = SafetensorsFile::open(path("m"));
  ASSERT_OK(file.status());
  Metadata metadata = file->metadata();
  EXPECT_EQ(metadata.erase("flywheel_checksums"), 1u);
  EXPECT_EQ(metadata, (Metadata{{"flywheel_format", "1"}, {"writer", "test"}}));
  for (const char *key : {"flywheel_format", "flywheel_checksums"})
    EXPECT_ERROR(saveCheckpoint(path("m"), variables(), {{key, "2"}}),
                 kInvalidArgument, "reserved");
}

TEST_F(CheckpointTest, ExtraKeysAreIgnored) {
  ASSERT_OK(
      restoreCheckpoint(path("ckpt"), {{"layer/b", DType::I64, {}, &newBias}}));
  EXPECT_EQ(newBias, 42);
  EXPECT_EQ(newWeights[0], -1.0f);
  EXPECT_OK(restoreCheckpoint(path("ckpt"), {}));
}

TEST_F(CheckpointTest, MissingKey) {
  std::vector<RestoreTarget> list = targets();
  list.back().name = "layer/gamma";
  EXPECT_ERROR(failedRestore(path("ckpt"), list), kNotFound,
               "Key layer/gamma not found in checkpoint");
}

TEST_F(CheckpointTest, ShapeDiffers) {
  std::vector<RestoreTarget> list = targets();
  list.back().shape = {1, 2};
  Status status = failedRestore(path("ckpt"), list);
  EXPECT_ERROR(status, kInvalidArgument, "flag");
  EXPECT_ERROR(status, kInvalidArgument, "[2]");
  EXPECT_ERROR(status, kInvalidArgument, "[1,2]");
}

TEST_F(CheckpointTest, DTypeDiffers) {
  std::vector<RestoreTarget> list = targets();
  list.back().dtype = DType::U8;
  Status status = failedRestore(path("ckpt"), list);
  EXPECT_ERROR(status, kInvalidArgument, "flag");
  EXPECT_ERROR(status, kInvalidArgument, "bool");
  EXPECT_ERROR(status, kInvalidArgument, "uint8");
}

TEST_F(CheckpointTest, NullDestination) {
  std::vector<RestoreTarget> list = targets();
  list.back().data = nullptr;
  EXPECT_ERROR(failedRestore(path("ckpt"), list), kInvalidArgument, "null");
}

TEST_F(CheckpointTest, NotACheckpoint) {
  Status status = failedRestore(path("none"), targets());
  EXPECT_ERROR(status, kNotFound, "is not a valid checkpoint");
  EXPECT_ERROR(status, kNotFound, path("none"));
  EXPECT_ERROR(failedRestore(directory, targets()), kIOError,
               "is not a valid checkpoint");
  write("text", "this is not a checkpoint at all");
  EXPECT_ERROR(failedRestore(path("text"), targets()), kDataLoss,
               "is not a valid checkpoint");
}

TEST_F(CheckpointTest, EveryTruncationIsRefused) {
  std::string bytes = read("ckpt");
  for (size_t size = 0; size < bytes.size(); ++size) {
    write("cut", bytes.substr(0, size));
    EXPECT_ERROR(failedRestore(path("cut"), targets()), kDataLoss,
                 "is not a valid checkpoint");
  }
}

TEST_F(CheckpointTest, BooleansAreZeroOrOne) {
  std::string bytes = read("ckpt");
  bytes.back() = 2; // Booleans come last, as the smallest elements.
  write("bad", bytes);
  EXPECT_ERROR(failedRestore(path("bad"), targets()), kDataLoss,
               "flag has a boolean that is neither 0 nor 1");
  flags[1] = 7;
  EXPECT_ERROR(saveCheckpoint(path("bad"), variables()), kInvalidArgument,
               "flag");
}

/// Data that check() found may be gone when read() is called.
TEST_F(CheckpointTest, TruncatedWhileRestoring) {
  Result<CheckpointReader> reader = CheckpointReader::open(path("ckpt"));
  ASSERT_OK(reader.status());
  ASSERT_OK(reader->check(targets()));
  std::filesystem::resize_file(path("ckpt"), read("ckpt").size() - 1);
  EXPECT_ERROR(reader->read(targets()), kDataLoss,
               "it became shorter while it was read");
}

TEST_F(CheckpointTest, FormatVersion) {
  std::vector<TensorView> list = variables();
  ASSERT_OK(writeSafetensors(path("v2"), list, {{"flywheel_format", "2"}}));
  EXPECT_ERROR(failedRestore(path("v2"), targets()), kFailedPrecondition,
               "its format version is \"2\"");
  ASSERT_OK(writeSafetensors(path("plain"), list));
  EXPECT_OK(restoreCheckpoint(path("plain"), targets()));
}

// P16: one flipped bit anywhere is an error that changes nothing.
TEST_F(CheckpointTest, FlippedBits) {
  std::string bytes = read("ckpt");
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = char(damaged[bit / 8] ^ (1 << (bit % 8)));
    write("damaged", damaged);
    (void)failedRestore(path("damaged"), targets());
  }
}

TEST_F(CheckpointTest, DamagedDataIsNamed) {
  std::string bytes = read("ckpt");
  // The second element of layer/W, after layer/b of 8 bytes.
  bytes[bytes.size() - 2 - 24 + 4] ^= 1;
  write("damaged", bytes);
  EXPECT_ERROR(failedRestore(path("damaged"), targets()), kDataLoss,
               "'" + path("damaged") +
                   "' is not a valid checkpoint: the data of tensor "
                   "\"layer/W\" is damaged: expected the CRC-32 ");
  // Tensors that nobody asks for are not read.
  EXPECT_OK(restoreCheckpoint(path("damaged"),
                              {{"layer/b", DType::I64, {}, &newBias}}));
}

// CRC-32 of ISO 3309; its check value, and the same in parts.
TEST(Checksums, Crc32) {
  EXPECT_EQ(computeCrc32("123456789", 9), 0xcbf43926u);
  EXPECT_EQ(computeCrc32(nullptr, 0), 0u);
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += char(37 * i);
  uint32_t whole = computeCrc32(text.data(), text.size());
  for (size_t i = 0; i <= text.size(); ++i)
    EXPECT_EQ(computeCrc32(text.data() + i, text.size() - i,
                           computeCrc32(text.data(), i)),
              whole);
}

TEST_F(CheckpointTest, MalformedChecksums) {
  for (const char *text :
       {"", "{}", "[]", "{\"header\":\"00000000\",\"tensors\":{}}",
        "{\"header\":0,\"tensors\":{\"layer/W\":\"0\"}}"}) {
    ASSERT_OK(writeSafetensors(path("odd"), variables(),
                               {{"flywheel_checksums", text}}));
    EXPECT_ERROR(failedRestore(path("odd"), targets()), kDataLoss,
                 "metadata \"flywheel_checksums\": expected the CRC-32");
  }
}

TEST_F(CheckpointTest, SaveReplacesAtomically) {
  bias = 43;
  ASSERT_OK(saveCheckpoint(path("ckpt"), variables()));
  ASSERT_OK(restoreCheckpoint(path("ckpt"), targets()));
  EXPECT_EQ(newBias, 43);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(CheckpointTest, FailedSaveKeepsTheOldFile) {
  std::string before = read("ckpt");
  std::vector<TensorView> twice = variables();
  twice.push_back(twice.front());
  EXPECT_ERROR(saveCheckpoint(path("ckpt"), twice), kInvalidArgument,
               "duplicate key");
  EXPECT_ERROR(saveCheckpoint(path("ckpt"), {}), kInvalidArgument,
               "No variables to save");
  EXPECT_EQ(read("ckpt"), before);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(CheckpointTest, ParentDirectoryMissing) {
  std::string prefix = path("no/such/model");
  EXPECT_ERROR(saveCheckpoint(prefix, variables()), kFailedPrecondition,
               "Parent directory of " + prefix + " doesn't exist, can't save");
}

TEST_F(CheckpointTest, EqualVariablesGiveEqualFiles) {
  std::vector<TensorView> reversed = variables();
  std::reverse(reversed.begin(), reversed.end());
  ASSERT_OK(saveCheckpoint(path("again"), reversed));
  EXPECT_EQ(read("again"), read("ckpt"));
}

} // namespace
