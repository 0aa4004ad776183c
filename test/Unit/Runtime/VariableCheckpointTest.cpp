//===- VariableCheckpointTest.cpp - Checkpoints of a program's state ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/VariableCheckpoint.h"
#include "flywheel/Runtime/RandomStreams.h"

#include "TestSupport.h"

#include <set>
#include <sys/mman.h>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

/// A program with v1 (3 ones), v2 (5 times -1) and a local variable.
struct Example {
  float v1[3] = {1, 1, 1};
  float v2[5] = {-1, -1, -1, -1, -1};
  int64_t local = 7;
  std::byte initialized[3] = {std::byte{1}, std::byte{1}, std::byte{1}};
  uint64_t runs[3] = {1, 2, 3};
  uint64_t seed = UINT64_MAX;

  /// A program in which nothing has a value; every element is \p filler.
  static Example makeFresh(float filler = 0) {
    Example example;
    for (float &element : example.v1)
      element = filler;
    for (float &element : example.v2)
      element = filler;
    for (int i = 0; i < 3; ++i) {
      example.initialized[i] = std::byte{0};
      example.runs[i] = 0;
    }
    example.seed = 0;
    return example;
  }

  ProgramState state() {
    return {"example",
            {{"v1", DType::F32, {3}, v1, &initialized[0], &runs[0], true},
             {"v2", DType::F32, {5}, v2, &initialized[1], &runs[1], true},
             {"l", DType::I64, {}, &local, &initialized[2], &runs[2], false}},
            &seed};
  }
};

class VariableCheckpointTest : public TemporaryDirectoryTest {
protected:
  static CheckpointOptions select(std::vector<std::string> names) {
    CheckpointOptions options;
    options.variables = std::move(names);
    return options;
  }

  std::set<std::string> keys(const std::string &name) const {
    std::set<std::string> all;
    Result<SafetensorsFile> file = SafetensorsFile::open(path(name));
    EXPECT_OK(file.status());
    if (file.isOk())
      for (const TensorInfo &info : file->tensors())
        all.insert(info.name);
    return all;
  }

  Example saved;
};

// P2, P3: without names, the global variables.
TEST_F(VariableCheckpointTest, DefaultIsGlobal) {
  ASSERT_OK(saveVariables(saved.state(), path("m")));
  EXPECT_EQ(keys("m"), (std::set<std::string>{"v1", "v2"}));
  Example fresh = Example::makeFresh();
  ASSERT_OK(restoreVariables(fresh.state(), path("m")));
  for (float element : fresh.v1)
    EXPECT_EQ(element, 1);
  for (float element : fresh.v2)
    EXPECT_EQ(element, -1);
  EXPECT_EQ(fresh.initialized[0], std::byte{1});
  EXPECT_EQ(fresh.initialized[1], std::byte{1});
  EXPECT_EQ(fresh.initialized[2], std::byte{0});
}

/// P10: the random streams go on.
TEST_F(VariableCheckpointTest, RandomStreams) {
  ASSERT_OK(saveVariables(saved.state(), path("m")));
  Result<SafetensorsFile> file = SafetensorsFile::open(path("m"));
  ASSERT_OK(file.status());
  EXPECT_EQ(file->metadata().at("flywheel_streams"),
            R"({"runs":{"v1":1,"v2":2},"seed":18446744073709551615})");
  EXPECT_EQ(file->metadata().at("model"), "example");

  Example fresh = Example::makeFresh();
  ASSERT_OK(restoreVariables(fresh.state(), path("m"), select({"v2"})));
  EXPECT_EQ(fresh.runs[0], 0u);
  EXPECT_EQ(fresh.runs[1], 2u);
  EXPECT_EQ(fresh.seed, 0u);
  ASSERT_OK(restoreVariables(fresh.state(), path("m")));
  EXPECT_EQ(fresh.runs[0], 1u);
  EXPECT_EQ(fresh.runs[2], 0u);
  EXPECT_EQ(fresh.seed, UINT64_MAX);

  // A file that knows nothing of them leaves them.
  ASSERT_OK(
      writeSafetensors(path("plain"), {{"v1", DType::F32, {3}, fresh.v1},
                                       {"v2", DType::F32, {5}, fresh.v2}}));
  fresh.seed = 3;
  ASSERT_OK(restoreVariables(fresh.state(), path("plain")));
  EXPECT_EQ(fresh.seed, 3u);
  EXPECT_EQ(fresh.runs[1], 2u);
}

TEST_F(VariableCheckpointTest, MalformedStreams) {
  Example fresh = Example::makeFresh();
  for (const char *text :
       {"", "1", "{}", "{\"seed\":1}", "{\"seed\":-1,\"runs\":{}}",
        "{\"seed\":1,\"runs\":[]}", "{\"seed\":1,\"runs\":{\"v1\":[[1]]}}",
        "{\"seed\":1,\"runs\":{},\"more\":1}", "{\"seed\":1.5,\"runs\":{}}"}) {
    ASSERT_OK(writeSafetensors(
        path("m"),
        {{"v1", DType::F32, {3}, saved.v1}, {"v2", DType::F32, {5}, saved.v2}},
        {{"flywheel_streams", text}}));
    Status status = restoreVariables(fresh.state(), path("m"));
    EXPECT_ERROR(status, kDataLoss,
                 "is not a valid checkpoint: metadata "
                 "\"flywheel_streams\": ");
    EXPECT_EQ(fresh.v1[0], 0);
    EXPECT_EQ(fresh.initialized[0], std::byte{0});
  }
}

// P15: a checkpoint is of a model; where one has no name of its own it is of
// any.
TEST_F(VariableCheckpointTest, OtherModel) {
  auto restore = [&](const std::string &from, const std::string &to,
                     const CheckpointOptions &options = {}) {
    ProgramState state = saved.state();
    state.model = from;
    EXPECT_OK(saveVariables(state, path("m")));
    Example fresh = Example::makeFresh();
    ProgramState other = fresh.state();
    other.model = to;
    Status status = restoreVariables(other, path("m"), options);
    EXPECT_EQ(fresh.v2[4], status.isOk() ? -1 : 0);
    return status;
  };
  EXPECT_OK(restore("a", "a"));
  EXPECT_ERROR(restore("a", "b"), kFailedPrecondition,
               "can't restore model 'b' from checkpoint '" + path("m") +
                   "', which is of model 'a'");
  EXPECT_OK(restore("model", "b"));
  EXPECT_OK(restore("a", "model"));
  EXPECT_OK(restore("a", "b", select({"v2"})));
  CheckpointOptions any;
  any.anyModel = true;
  EXPECT_OK(restore("a", "b", any));
}

// P16: where the random streams are is protected, too.
TEST_F(VariableCheckpointTest, DamagedStreams) {
  ASSERT_OK(saveVariables(saved.state(), path("m")));
  std::string bytes = read("m");
  size_t at = bytes.find("\\\"v1\\\":1,");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = '3';
  write("m", bytes);
  Example fresh = Example::makeFresh();
  EXPECT_ERROR(restoreVariables(fresh.state(), path("m")), kDataLoss,
               "its header is damaged");
}

// P4.
TEST_F(VariableCheckpointTest, Subset) {
  ASSERT_OK(saveVariables(saved.state(), path("m")));
  Example fresh = Example::makeFresh();
  fresh.initialized[0] = std::byte{1};
  ASSERT_OK(restoreVariables(fresh.state(), path("m"), select({"v2"})));
  EXPECT_EQ(fresh.v1[0], 0);
  EXPECT_EQ(fresh.v2[4], -1);
  EXPECT_EQ(fresh.initialized[0], std::byte{1});
  ASSERT_OK(saveVariables(saved.state(), path("l"), select({"l"})));
  EXPECT_EQ(keys("l"), (std::set<std::string>{"l"}));
}

// P2: variables under other keys.
TEST_F(VariableCheckpointTest, Renames) {
  CheckpointOptions options;
  options.keys = {{"v2", "other/v2"}};
  ASSERT_OK(saveVariables(saved.state(), path("m"), options));
  EXPECT_EQ(keys("m"), (std::set<std::string>{"v1", "other/v2"}));
  Example fresh = Example::makeFresh();
  ASSERT_OK(restoreVariables(fresh.state(), path("m"), options));
  EXPECT_EQ(fresh.v2[0], -1);
  EXPECT_EQ(fresh.runs[1], 2u);
  EXPECT_ERROR(restoreVariables(fresh.state(), path("m")), kNotFound,
               "Key v2 not found in checkpoint");
  // Names may be exchanged.
  CheckpointOptions swapped = select({"v1", "l"});
  swapped.keys = {{"v1", "l"}, {"l", "v1"}};
  EXPECT_OK(saveVariables(saved.state(), path("s"), swapped));
}

// P2, P5.
TEST_F(VariableCheckpointTest, Errors) {
  ProgramState state = saved.state();
  EXPECT_ERROR(saveVariables(state, path("m"), select({})), kInvalidArgument,
               "No variables to save");
  EXPECT_ERROR(saveVariables({"e", {}, &saved.seed}, path("m")),
               kInvalidArgument, "No variables to save");
  EXPECT_ERROR(saveVariables(state, path("m"), select({"v1", "v1"})),
               kInvalidArgument, "variable 'v1' is given twice");
  EXPECT_ERROR(saveVariables(state, path("m"), select({"v3"})), kNotFound,
               "model 'example' has no variable 'v3'; it has: v1, v2, l");
  CheckpointOptions options;
  options.keys = {{"v1", "v2"}};
  EXPECT_ERROR(saveVariables(state, path("m"), options), kInvalidArgument,
               "duplicate key 'v2'");
  options.keys = {{"l", "x"}};
  EXPECT_ERROR(saveVariables(state, path("m"), options), kInvalidArgument,
               "key 'x' is for a variable that is not among");
  for (const char *key : {"model", "flywheel_streams", "flywheel_format"}) {
    CheckpointOptions reserved;
    reserved.metadata = {{key, "x"}};
    EXPECT_ERROR(saveVariables(state, path("m"), reserved), kInvalidArgument,
                 "is reserved");
  }
  EXPECT_EQ(numFiles(), 0u);
  EXPECT_ERROR(restoreVariables(state, path("m")), kNotFound,
               "is not a valid checkpoint");
}

// P1: nothing is written, or recorded, unless every variable has a value.
TEST_F(VariableCheckpointTest, Uninitialized) {
  saved.initialized[1] = std::byte{0};
  CheckpointManager manager;
  EXPECT_ERROR(saveVariables(saved.state(), path("m")), kFailedPrecondition,
               "Attempting to use uninitialized value v2");
  EXPECT_ERROR(saveVariables(saved.state(), manager, path("m"), 1).status(),
               kFailedPrecondition, "Attempting to use uninitialized value v2");
  EXPECT_EQ(numFiles(), 0u);
  EXPECT_OK(saveVariables(saved.state(), path("m"), select({"v1"})));
}

/// When reading fails half-way, the variables have no value rather than a wrong
/// one. Memory that cannot be written stands for a disk that fails.
TEST_F(VariableCheckpointTest, FailedRead) {
  ASSERT_OK(saveVariables(saved.state(), path("m")));
  void *memory =
      mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ProgramState state = saved.state();
  state.variables[1].data = memory;
  saved.runs[0] = 9;
  EXPECT_ERROR(restoreVariables(state, path("m")), kIOError, "can't read");
  EXPECT_EQ(saved.initialized[0], std::byte{0});
  EXPECT_EQ(saved.initialized[1], std::byte{0});
  EXPECT_EQ(saved.initialized[2], std::byte{1});
  EXPECT_EQ(saved.runs[0], 9u);
  munmap(memory, 4096);
}

// P5: another shape with as many elements, on request.
TEST_F(VariableCheckpointTest, Reshape) {
  float matrix[6] = {0, 1, 2, 3, 4, 5};
  float out[6] = {};
  std::byte flag{1};
  uint64_t counter = 0;
  auto state = [&](Shape shape, void *data) {
    return ProgramState{
        "m", {{"w", DType::F32, shape, data, &flag, &counter}}, &counter};
  };
  ASSERT_OK(saveVariables(state({2, 3}, matrix), path("m")));
  CheckpointOptions options;
  options.reshape = true;
  Status status = restoreVariables(state({3, 2}, out), path("m"));
  EXPECT_ERROR(status, kInvalidArgument, "[2,3]");
  EXPECT_ERROR(status, kInvalidArgument, "[3,2]");
  EXPECT_EQ(out[5], 0);
  EXPECT_OK(restoreVariables(state({3, 2}, out), path("m"), options));
  EXPECT_EQ(out[5], 5);
  EXPECT_OK(restoreVariables(state({6}, out), path("m"), options));
  EXPECT_ERROR(restoreVariables(state({5}, out), path("m"), options),
               kInvalidArgument, "another number of elements");
}

// P9.
TEST_F(VariableCheckpointTest, LoadOrInit) {
  Example fresh = Example::makeFresh();
  std::filesystem::create_directory(path("run"));
  Result<bool> restored = restoreLatest(fresh.state(), path("run"));
  ASSERT_OK(restored.status());
  EXPECT_FALSE(*restored);
  CheckpointManager manager;
  ASSERT_OK(
      saveVariables(saved.state(), manager, path("run/model"), 1).status());
  std::filesystem::rename(path("run"), path("moved"));
  restored = restoreLatest(fresh.state(), path("moved"));
  ASSERT_OK(restored.status());
  EXPECT_TRUE(*restored);
  EXPECT_EQ(fresh.v1[0], 1);
  // TensorFlow writes absolute paths, of wherever the directory was then.
  write("moved/checkpoint", "model_checkpoint_path: \"/gone/model-1\"");
  EXPECT_TRUE(*restoreLatest(fresh.state(), path("moved")));
  write("moved/checkpoint", "model_checkpoint_path: \"model-2\"");
  EXPECT_ERROR(restoreLatest(fresh.state(), path("moved")).status(), kNotFound,
               "is not a valid checkpoint");
  EXPECT_ERROR(restoreLatest(fresh.state(), path("moved"), {}, "a/b").status(),
               kInvalidArgument, "must not contain path components");
}

} // namespace
