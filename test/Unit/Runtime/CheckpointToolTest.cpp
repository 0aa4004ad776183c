//===- CheckpointToolTest.cpp - The output of flywheel-checkpoint -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/CheckpointState.h"
#include "flywheel/Runtime/HalfFloat.h"

#include "TestSupport.h"

#include <cstdio>
#include <sys/wait.h>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

struct Outcome {
  int exitCode = -1;
  /// Standard output and standard error.
  std::string text;
};

class CheckpointToolTest : public TemporaryDirectoryTest {
protected:
  void SetUp() override {
    TemporaryDirectoryTest::SetUp();
    float w[] = {0.1f, -2, 3e20f, 1};
    uint16_t h[] = {floatToHalf(0.1f), floatToHalf(3.23f)};
    uint16_t b = floatToBFloat16(3.23f);
    uint8_t flags[] = {1, 0};
    int32_t cube[] = {1, 2, 3, 4, 5, 6, 7, 8};
    ASSERT_OK(saveCheckpoint(path("f"),
                             {{"layer/W", DType::F32, {2, 2}, w},
                              {"half", DType::F16, {2}, h},
                              {"brain", DType::BF16, {}, &b},
                              {"flags", DType::Bool, {2, 1}, flags},
                              {"cube", DType::I32, {2, 2, 2}, cube},
                              {"a \x1b[31m", DType::U8, {0}, nullptr}},
                             {{"writer", "line\nline"}}));
  }

  /// Runs the tool in the fixture's directory; \p arguments are shell words.
  /// Standard error comes first into the pipe, so that \p arguments can send
  /// standard output elsewhere.
  Outcome run(const std::string &arguments) {
    std::string command = "cd '" + directory + "' && '" +
                          FLYWHEEL_CHECKPOINT_TOOL "' 2>&1 " + arguments;
    Outcome outcome;
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe)
      return outcome;
    char buffer[4096];
    while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
      outcome.text.append(buffer, got);
    int status = pclose(pipe);
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }
};

TEST_F(CheckpointToolTest, Lists) {
  Outcome outcome = run("f");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, R"("a \u001b[31m"  uint8     [0]      0 bytes
brain           bfloat16  []       2 bytes
cube            int32     [2,2,2]  32 bytes
flags           bool      [2,1]    2 bytes
half            float16   [2]      4 bytes
layer/W         float32   [2,2]    16 bytes
metadata:
  flywheel_format = "1"
  writer = "line\u000aline"
)");
}

TEST_F(CheckpointToolTest, PrintsValues) {
  Outcome outcome = run("f --values layer/W half brain flags cube");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, R"(layer/W  float32   [2,2]    16 bytes
  [[0.1, -2],
   [3e+20, 1]]
half     float16   [2]      4 bytes
  [0.0999755859375, 3.23046875]
brain    bfloat16  []       2 bytes
  3.234375
flags    bool      [2,1]    2 bytes
  [[true],
   [false]]
cube     int32     [2,2,2]  32 bytes
  [[[1, 2],
    [3, 4]],
   [[5, 6],
    [7, 8]]]
)");
  outcome = run("--values f");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.text.find("0 bytes\n  []\n"), std::string::npos);
}

TEST_F(CheckpointToolTest, Errors) {
  write("broken", "broken");
  struct {
    const char *arguments, *text;
  } cases[] = {
      {"", "error: no FILE given"},
      {"none", "error: can't read 'none': No such file or directory"},
      {"broken", "error: 'broken' is not a valid safetensors file"},
      {".", "error: can't read '.': not a regular file; --state lists"},
      {"f nope", "error: Key nope not found in checkpoint 'f'; it has: \"a "
                 "\\u001b[31m\", brain, cube, flags, half, layer/W\n"},
      {"f 'nope/*'", "error: Key nope/* not found in checkpoint 'f'"},
      {"--state none", "error: can't read 'none/checkpoint': No such file"},
      {"--state . f", "error: --state lists a directory"},
      {"--state . --values", "error: --state lists a directory"},
      {"--state . --state-file=f", "error: './f' is not a valid state file"},
      {"--state . --state-file=a/b", "error: the name of the state file must"},
      {"f --state-file=f", "error: --state-file is an option of --state"},
      {"f --nope", "error: unknown option '--nope'"},
      {"f -- --values", "error: Key --values not found"},
      {"f > /dev/full", "error: can't write to standard output"},
  };
  for (const auto &c : cases) {
    Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.exitCode, 1) << c.arguments;
    EXPECT_EQ(outcome.text.find(c.text), 0u) << outcome.text;
  }
}

TEST_F(CheckpointToolTest, SelectsByPattern) {
  Outcome outcome = run("f 'layer/*' '[bc]*' half");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, "layer/W  float32   [2,2]    16 bytes\n"
                          "brain    bfloat16  []       2 bytes\n"
                          "cube     int32     [2,2,2]  32 bytes\n"
                          "half     float16   [2]      4 bytes\n");
}

TEST_F(CheckpointToolTest, ListsState) {
  CheckpointState state;
  state.latest = "f";
  state.retained = {"gone", "f"};
  state.times = {0, 1600000000.75};
  state.lastPreserved = 1e300;
  write("checkpoint", formatCheckpointState(state));
  Outcome outcome = run("--state .");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, "latest: ./f\n"
                          "retained:\n"
                          "  ./gone  1970-01-01 00:00:00  missing\n"
                          "  ./f     2020-09-13 12:26:40  " +
                              std::to_string(read("f").size()) +
                              " bytes\n"
                              "last preserved: at an unknown time\n");
  write("other", "model_checkpoint_path: 'f'");
  outcome = run("--state --state-file=other .");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, "latest: ./f\nretained:\n");
}

TEST_F(CheckpointToolTest, Help) {
  Outcome outcome = run("--help");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text.find("usage: flywheel-checkpoint FILE"), 0u);
}

} // namespace
