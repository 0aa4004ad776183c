//===- CheckpointTest.cpp - Saving and restoring a session ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"

#include "llvm/Support/FileSystem.h"

using namespace flywheel;
using flywheel::runtime::CheckpointManager;
using flywheel::runtime::CheckpointOptions;
using flywheel::runtime::Result;
using flywheel::runtime::Status;
using flywheel::runtime::StatusCode;
using flywheel::test::AdderTest;

namespace {

/// A file that is gone after the test.
struct TemporaryFile {
  TemporaryFile() {
    llvm::SmallString<128> name;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("session", "ckpt", name));
    path = name.str().str();
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  std::string path;
};

TEST_F(AdderTest, ResumesBitwise) {
  TemporaryFile file;
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(5).isOk());
  ASSERT_TRUE(step(*session, 3, 0.1f).isOk());
  ASSERT_TRUE(session->save(file.path).isOk());
  ASSERT_TRUE(step(*session, 3, 0.1f).isOk());
  float expected = total;

  std::unique_ptr<Session> resumed = makeSession();
  ASSERT_TRUE(resumed->restore(file.path).isOk());
  EXPECT_TRUE(resumed->reportUninitialized().empty());
  EXPECT_EQ(*resumed->getRunCounter("w"), 1u);
  EXPECT_EQ(resumed->getSeed(), 5u);
  ASSERT_TRUE(step(*resumed, 3, 0.1f).isOk());
  EXPECT_EQ(total, expected);
}

TEST_F(AdderTest, SavesAndRestoresSubsets) {
  TemporaryFile file;
  std::unique_ptr<Session> session = makeSession();
  Status status = session->save(file.path);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "Attempting to use uninitialized value w");
  ASSERT_TRUE(session->initialize(5).isOk());
  CheckpointOptions w, u, none;
  w.variables = {"w"};
  u.variables = {"u"};
  none.variables.emplace();
  ASSERT_TRUE(session->save(file.path, w).isOk());
  EXPECT_EQ(session->save(file.path, u).code(), StatusCode::kNotFound);
  EXPECT_EQ(session->save(file.path, none).message(), "No variables to save");

  std::unique_ptr<Session> other = makeSession();
  status = other->restore(file.path);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("Key steps not found in checkpoint"),
            std::string::npos);
  EXPECT_EQ(other->reportUninitialized().size(), 2u);
  ASSERT_TRUE(other->restore(file.path, w).isOk());
  EXPECT_EQ(other->reportUninitialized(), std::vector<std::string>{"steps"});
  EXPECT_EQ(*other->getRunCounter("w"), 1u);
  EXPECT_EQ(*other->getRunCounter("steps"), 0u);
  EXPECT_EQ(other->getSeed(), 0u);
}

/// Names of checkpoints come from steps; the latest one is found again.
TEST_F(AdderTest, SavesByAManager) {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("session", directory));
  std::string prefix = (directory + "/model").str();
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(5).isOk());
  CheckpointManager manager;
  for (int64_t count : {1, 2}) {
    ASSERT_TRUE(step(*session, 3, 0.1f).isOk());
    Result<std::string> path = session->save(manager, prefix, count);
    ASSERT_TRUE(path.isOk());
    EXPECT_EQ(*path, prefix + "-" + std::to_string(count));
  }
  std::unique_ptr<Session> other = makeSession();
  Result<bool> restored = other->restoreLatest(directory.str().str());
  ASSERT_TRUE(restored.isOk());
  EXPECT_TRUE(*restored);
  EXPECT_TRUE(other->reportUninitialized().empty());
  EXPECT_FALSE(*other->restoreLatest(directory.str().str() + "/none"));
  ASSERT_TRUE(step(*session, 3, 0.1f).isOk());
  float expected = total;
  ASSERT_TRUE(step(*other, 3, 0.1f).isOk());
  EXPECT_EQ(total, expected);
  llvm::sys::fs::remove_directories(directory);
}

} // namespace
