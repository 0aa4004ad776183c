//===- PerfMapTest.cpp - Names of generated code for perf -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T20: the map has the addresses at which functions are.
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"

#include "flywheel/Target/Object/JIT.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace flywheel;

namespace {

class PerfMap : public test::AdderTest {
protected:
  void SetUp() override {
    AdderTest::SetUp();
    path = "/tmp/perf-" + std::to_string(llvm::sys::Process::getProcessId()) +
           ".map";
    llvm::sys::fs::remove(path);
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  llvm::Expected<std::unique_ptr<JIT>> makeJIT() const {
    llvm::Expected<MachineModule> code = MachineModule::create(*module, {});
    if (!code)
      return code.takeError();
    JITOptions options;
    options.perfMap = true;
    return JIT::create(*code, /*times=*/nullptr, options);
  }
  /// The lines of the map; none without a file.
  std::vector<std::string> readLines() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    std::vector<std::string> lines;
    if (!buffer)
      return lines;
    llvm::SmallVector<llvm::StringRef> parts;
    (*buffer)->getBuffer().split(parts, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts)
      lines.push_back(part.str());
    return lines;
  }

  std::string path;
};

TEST_F(PerfMap, HasTheAddressesOfFunctions) {
  auto jit = makeJIT();
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  auto address = (*jit)->lookup("adder_step.packed");
  ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
  std::string start = llvm::utohexstr(reinterpret_cast<uintptr_t>(*address),
                                      /*LowerCase=*/true);
  std::vector<std::string> found;
  for (const std::string &line : readLines())
    if (llvm::StringRef(line).ends_with(" adder_step.packed"))
      found.push_back(line);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(llvm::StringRef(found[0]).split(' ').first, start);
}

TEST_F(PerfMap, GrowsWithEachProgram) {
  auto first = makeJIT();
  ASSERT_TRUE(bool(first));
  ASSERT_TRUE(bool((*first)->lookup("adder_step.packed")));
  size_t numLines = readLines().size();
  EXPECT_GT(numLines, 0u);
  auto second = makeJIT();
  ASSERT_TRUE(bool(second));
  ASSERT_TRUE(bool((*second)->lookup("adder_step.packed")));
  EXPECT_EQ(readLines().size(), 2 * numLines);
}

/// Everybody may write to the folder: a link there may lead to any file.
TEST_F(PerfMap, FollowsNoLink) {
  std::string target = path + ".target";
  ASSERT_FALSE(llvm::sys::fs::create_link(target, path));
  auto jit = makeJIT();
  ASSERT_FALSE(bool(jit));
  std::string error = llvm::toString(jit.takeError());
  EXPECT_NE(error.find("cannot write '" + path + "': "), std::string::npos)
      << error;
  EXPECT_FALSE(llvm::sys::fs::exists(target));
}

} // namespace
