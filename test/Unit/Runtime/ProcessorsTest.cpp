//===- ProcessorsTest.cpp - Processors of this process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Processors.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace flywheel::runtime;

namespace {

/// A folder with files of control groups.
class ProcessorQuota : public testing::Test {
protected:
  void SetUp() override {
    root = std::filesystem::temp_directory_path() /
           ("flywheel-quota-" + std::to_string(getpid()));
    std::filesystem::remove_all(root);
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }

  std::optional<int32_t> read() { return getProcessorQuota(root.string()); }

  std::filesystem::path root;
};

TEST_F(ProcessorQuota, None) {
  EXPECT_EQ(read(), std::nullopt);
  write("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(read(), std::nullopt);
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(ProcessorQuota, SecondVersion) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(read(), 2);
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(read(), 1);
}

TEST_F(ProcessorQuota, SmallestOfTheGroupsAbove) {
  write("proc/self/cgroup", "0::/machine/job/step\n");
  write("sys/fs/cgroup/machine/job/step/cpu.max", "1600000 100000\n");
  write("sys/fs/cgroup/machine/job/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/machine/cpu.max", "max 100000\n");
  EXPECT_EQ(read(), 3);
}

TEST_F(ProcessorQuota, FirstVersion) {
  write("proc/self/cgroup",
        "5:cpuset:/other\n4:cpu,cpuacct:/box\n1:memory:/box\n0::/\n");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read(), std::nullopt);
  write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(read(), 4);
  // A container sees its own group at the top.
  std::filesystem::remove_all(root / "sys/fs/cgroup/cpu/box");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read(), 2);
}

TEST_F(ProcessorQuota, Nonsense) {
  write("proc/self/cgroup", "no colon\n0::/a:b\n:\n");
  write("sys/fs/cgroup/a:b/cpu.max", "many few\n");
  EXPECT_EQ(read(), std::nullopt);
  write("sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(read(), std::nullopt);
}

TEST(Processors, AtLeastOne) {
  EXPECT_GE(countProcessors(), 1);
  EXPECT_LE(countProcessors(),
            static_cast<int32_t>(std::thread::hardware_concurrency()));
}

} // namespace
