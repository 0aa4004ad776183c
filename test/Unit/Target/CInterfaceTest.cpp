//===- CInterfaceTest.cpp - What a C program sees -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"
#include "flywheel/Target/CHeader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
using flywheel::test::AdderTest;
using flywheel::test::kMaxExtent;

namespace {

/// A C99 and C++ program over the header: returns 0 if all is as it should be,
/// else the line of the first difference.
constexpr const char *kProgram = R"c(
#include "adder.h"
#include <stdlib.h>
#define CHECK(c) do { if (!(c)) return __LINE__; } while (0)
#define SAYS(s, text) CHECK(strcmp(adder_last_error(s), text) == 0)

int main(void) {
  size_t room = ADDER_STATE_BYTES + ADDER_STATE_ALIGN;
  unsigned char *raw = (unsigned char *)malloc(room);
  size_t skew = (size_t)((uintptr_t)raw % ADDER_STATE_ALIGN);
  unsigned char *block = raw + (ADDER_STATE_ALIGN - skew);
  adder_state *s = (adder_state *)block;
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 1}, total = 0, doubled[8];
  float *w;
  float w4[4] = {5, 6, 7, 8};
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
  SAYS(s, "batch is out of range: expected 0 <= batch <= 16 in 'adder_step'");
  CHECK(adder_step(s, x, -1, x, &total, doubled) != 0);
  CHECK(adder_step(s, NULL, 1, x, &total, doubled) != 0);
  SAYS(s, "You must feed a value for placeholder 'x'");
  CHECK(adder_step(s, x, 1, x, NULL, doubled) != 0);
  SAYS(s, "expected a buffer for result 'total' of 'step', found a null pointer");
  x[0] = -1;
  CHECK(adder_step(s, x, 1, x, &total, doubled) == 1);
  SAYS(s, "x[0, 0] must not be negative");
  CHECK(w[3] == 302);

  CHECK(adder_set_variable(s, "w", w4, sizeof w4) == 0 && w[2] == 7);
  CHECK(adder_set_variable(s, "w", w4, 4) == -1);
  CHECK(adder_set(s, x) == 0 && w[0] == -1);
  CHECK(adder_init(s, 3) == 0 && w[0] == 301);
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
  writeFile(path("adder.h"), emitCHeader(program->getManifest(), kMaxExtent));
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

TEST_F(AdderTest, HeaderDocumentsArguments) {
  std::string header = emitCHeader(program->getManifest(), kMaxExtent);
  for (const char *line :
       {"#define ADDER_STATE_BYTES ((size_t)512u)",
        "#define ADDER_STATE_ALIGN 64", "#define ADDER_MAX_EXTENT 16",
        " * x (in): float32 (batch, 4)", " * batch (in): 0 to 16",
        " * total (out): float32 ()", " *   1: x[0, 0] must not be negative",
        "int32_t adder_step(adder_state *s, const float *x, int64_t batch, "
        "const float *y, float *total, float *doubled);",
        "int32_t adder_init(adder_state *s, uint64_t seed);",
        "#define ADDER_W_OFFSET 128"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
}

} // namespace
