//===- CInterfaceTest.cpp - What a C program sees -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Target/CHeader/CHeader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
using flywheel::test::AdderTest;
using flywheel::test::kMaxDimSize;

namespace {

/// A C99 and C++ program over the header: returns 0 if all is as it should be,
/// else the line of the first difference.
constexpr const char *kProgram = R"c(
#include "adder.h"
#include <stdlib.h>
#define CHECK(c) do { if (!(c)) return __LINE__; } while (0)
#define SAYS(s, text) CHECK(strcmp(adder_last_error(s), text) == 0)

int main(void) {
  size_t room = ADDER_STATE_BYTES + 2 * ADDER_STATE_ALIGN;
  unsigned char *raw = (unsigned char *)malloc(room);
  size_t skew = (size_t)((uintptr_t)raw % ADDER_STATE_ALIGN);
  unsigned char *block = raw + (2 * ADDER_STATE_ALIGN - skew);
  adder_state *s = (adder_state *)block;
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 1}, total = 0, doubled[8];
  float *w;
  float w4[4] = {5, 6, 7, 8}, got[4];
  const char *names[2];
  const uint8_t select[2] = {0, 7};
  memset(raw, 0xa5, room);

  CHECK(adder_step(NULL, x, 2, x, &total, doubled) != 0);
  SAYS(NULL, "the state of 'adder' is a null pointer");
  SAYS(s, "");
  CHECK(adder_step(s, x, 2, x, &total, doubled) != 0);
  SAYS(s, "the state of 'adder' was never initialised: call adder_init first");
  CHECK(adder_init((adder_state *)(block + 4), 1) != 0);
  SAYS((adder_state *)(block + 4),
       "the state of 'adder' must be aligned to 64 bytes");

  CHECK(adder_init(s, 3) == 0);
  SAYS(s, "");
  w = (float *)adder_variable(s, "w");
  CHECK(w != NULL && w[0] == 300 && adder_variable(s, "v") == NULL);
  CHECK((unsigned char *)w - block == ADDER_W_OFFSET);
  CHECK(adder_is_initialized(s, "w") && !adder_is_initialized(s, "v"));
  CHECK(adder_variables()[0].rank == 1 && adder_variables()[0].shape[0] == 4);

  CHECK(adder_step(s, x, 2, x, &total, doubled) == 0);
  CHECK(w[3] == 302 && total == 4 * 302 && doubled[7] == 2);
  CHECK(adder_step(s, x, 17, x, &total, doubled) != 0);
  SAYS(s, "batch is out of range: expected 0 <= batch <= 16 in 'adder_step', found 17");
  CHECK(adder_step(s, x, -1, x, &total, doubled) != 0);
  CHECK(adder_step(s, NULL, 1, x, &total, doubled) != 0);
  SAYS(s, "You must feed a value for placeholder 'x'");
  CHECK(adder_step(s, x, 1, x, NULL, doubled) != 0);
  SAYS(s, "expected a buffer for result 'total' of 'step', found a null pointer");
  x[0] = -1;
  CHECK(adder_step(s, x, 1, x, &total, doubled) == ADDER_E_CHECK);
  SAYS(s, "x[0, 0] must not be negative");
  CHECK(w[3] == 302);

  CHECK(adder_set_variable(s, "w", w4, sizeof w4) == 0 && w[2] == 7);
  CHECK(adder_set_variable(s, "w", w4, 4) < 0 && w[2] == 7);
  SAYS(s, "variable 'w' has another size in bytes than what is given");
  CHECK(adder_set_variable(s, "v", w4, 4) < 0);
  SAYS(s, "no variable is called 'v'");
  CHECK(adder_set_variable(s, "w", NULL, sizeof w4) == ADDER_E_NULL_ARGUMENT);
  CHECK(adder_get_variable(s, "w", got, sizeof got) == 0 && got[3] == 8);
  SAYS(s, "");
  CHECK(adder_set(s, x) == 0 && w[0] == -1);
  CHECK(adder_set(s, w) != 0);
  SAYS(s, "expected feed 'v' of 'set' outside the block of the state, found a "
          "pointer into it: copy the variable first");
  CHECK(adder_init(s, 3) == 0 && w[0] == 301);

  /* A buffer that reaches into the block, or that two arguments share. */
  CHECK(adder_step(s, (float *)(block - 16), 2, x, &total, doubled) != 0);
  CHECK(adder_step(s, x, 2, x, &total, (float *)(block - 16)) != 0);
  CHECK(adder_step(s, x, 2, x, &total, x + 4) != 0);
  SAYS(s, "expected result 'doubled' of 'step' and feed 'x' in buffers of their "
          "own, found them overlap");
  CHECK(adder_step(s, x, 2, x, doubled, doubled) != 0);
  CHECK(w[0] == 301 && w[3] == 301);

  /* One variable: its stream goes on, the other keeps its value. */
  CHECK(adder_step(s, w4, 1, w4, &total, doubled) == 0);
  CHECK(*(int64_t *)adder_variable(s, "steps") == 1);
  CHECK(adder_init_variable(s, 3, "w") == 0 && w[0] == 302);
  CHECK(*(int64_t *)adder_variable(s, "steps") == 1);
  CHECK(adder_init_variable(s, 3, "v") < 0);
  CHECK(adder_init_some(s, 3, NULL) != 0);
  SAYS(s, "expected a byte for each variable as 'select', found a null pointer");

  CHECK(adder_set_variable(s, NULL, w4, sizeof w4) < 0);
  CHECK(adder_init_variable(s, 3, NULL) < 0);
  CHECK(adder_set_variable(NULL, "w", w4, sizeof w4) != 0);
  CHECK(adder_get_variable(NULL, "w", got, sizeof got) != 0);
  CHECK(adder_init_variable(NULL, 3, "v") != 0);
  CHECK(adder_init_variable(NULL, 3, "w") != 0);
  CHECK(!adder_is_initialized(NULL, "w") && !adder_is_initialized(s, NULL));
  CHECK(adder_report_uninitialized(NULL, NULL, 0) == 2);
  adder_reset(NULL);

  adder_reset(s);
  CHECK(adder_report_uninitialized(s, names, 2) == 2);
  CHECK(strcmp(names[0], "w") == 0 && strcmp(names[1], "steps") == 0);
  CHECK(adder_get_variable(s, "w", got, sizeof got) ==
        ADDER_E_UNINITIALIZED_VARIABLE);
  SAYS(s, "Attempting to use uninitialized value w");
  CHECK(adder_init_some(s, 3, select) == 0);
  CHECK(adder_report_uninitialized(s, names, 1) == 1);
  CHECK(strcmp(names[0], "w") == 0);
  memset(block, 0xa5, ADDER_STATE_BYTES);
  CHECK(adder_report_uninitialized(s, NULL, 0) == 2);
  CHECK(adder_set_variable(s, "w", w4, sizeof w4) != 0);
  CHECK(adder_get_variable(s, "w", got, sizeof got) != 0);
  SAYS(s, "the state of 'adder' was never initialised: call adder_init first");
  CHECK(adder_init_some(s, 3, select) == 0);
  CHECK(!adder_is_initialized(s, "w") && adder_is_initialized(s, "steps"));
  free(raw);
  return 0;
}
)c";

void writeFile(const llvm::Twine &path, llvm::StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.str(), error);
  ASSERT_FALSE(error) << error.message();
  file << contents;
}

TEST_F(AdderTest, PlainCProgramLinksTheObject) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("c-interface", folder));
  auto path = [&](llvm::StringRef name) { return (folder + "/" + name).str(); };
  llvm::Expected<MachineModule> code = MachineModule::create(*module, {});
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  auto object = code->getObject();
  ASSERT_TRUE(bool(object));
  writeFile(path("adder.o"), (*object)->getBuffer());
  writeFile(path("adder.h"), emitCHeader(program->getManifest(), kMaxDimSize));
  writeFile(path("main.c"), kProgram);

  auto run = [&](std::vector<std::string> arguments) {
    std::vector<llvm::StringRef> views(arguments.begin(), arguments.end());
    std::string message;
    int status = llvm::sys::ExecuteAndWait(arguments.front(), views, {}, {}, 0,
                                           0, &message);
    EXPECT_EQ(message, "");
    return status;
  };
  EXPECT_EQ(
      run({FLYWHEEL_C_COMPILER, "-std=c99", "-Wall", "-Wextra", "-pedantic",
           "-Werror", path("main.c"), path("adder.o"), "-o", path("c")}),
      0);
  EXPECT_EQ(run({path("c")}), 0) << "see the line of that number";
  EXPECT_EQ(run({FLYWHEEL_CXX_COMPILER, "-std=c++17", "-Wall", "-Wextra",
                 "-pedantic", "-Werror", "-x", "c++", path("main.c"), "-x",
                 "none", path("adder.o"), "-o", path("cpp")}),
            0);
  EXPECT_EQ(run({path("cpp")}), 0) << "see the line of that number";
  llvm::sys::fs::remove_directories(folder);
}

// An entry of a name that the header declares would not compile.
TEST_F(AdderTest, NamesOfTheHeaderAreReserved) {
  std::string header = emitCHeader(program->getManifest(), kMaxDimSize);
  llvm::ArrayRef<llvm::StringRef> reserved = getReservedCNames();
  llvm::Regex declared("[^a-zA-Z_]adder_([a-z_]+)\\(");
  llvm::StringRef rest = header;
  llvm::SmallVector<llvm::StringRef> match;
  unsigned count = 0;
  while (declared.match(rest, &match)) {
    rest = match[0].data() + match[0].size();
    if (match[1] == "init" || match[1] == "step" || match[1] == "set")
      continue;
    EXPECT_TRUE(llvm::is_contained(reserved, match[1])) << match[1].str();
    ++count;
  }
  EXPECT_GE(count, 20u);
}

TEST_F(AdderTest, HeaderDocumentsArguments) {
  std::string header = emitCHeader(program->getManifest(), kMaxDimSize);
  for (const char *line :
       {"#define ADDER_STATE_BYTES 1024ul", "#define ADDER_STATE_ALIGN 64",
        "#define ADDER_MAX_DIM_SIZE 16", " * x (in): float32 (batch, 4)",
        " * batch (in): 0 to 16", " * total (out): float32 ()",
        " *   x[0, 0] must not be negative",
        "int32_t adder_step(adder_state *s, const float *x, int64_t batch, "
        "const float *y, float *total, float *doubled);",
        "int32_t adder_init(adder_state *s, uint64_t seed);",
        "#define ADDER_W_OFFSET 640"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
}

} // namespace
