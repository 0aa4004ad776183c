//===- SessionTest.cpp - Sessions end to end ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModel.h"

#include <cstring>

using namespace flywheel;
using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;
using flywheel::runtime::StatusCode;
using flywheel::test::AdderTest;

namespace {

float readW(Session &session, int index = 0) {
  Result<ArrayView> w = session.getVariable("w");
  EXPECT_TRUE(w.isOk()) << w.status().message();
  return static_cast<const float *>(w->data)[index];
}

TEST_F(AdderTest, InitializesAndPersists) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(3).isOk());
  EXPECT_EQ(readW(*session), 300.0f);
  EXPECT_EQ(*session->getRunCounter("w"), 1u);
  EXPECT_EQ(session->getSeed(), 3u);
  ASSERT_TRUE(step(*session, 2).isOk());
  EXPECT_EQ(readW(*session, 3), 302.0f);
  EXPECT_EQ(total, 4 * 302.0f);
  EXPECT_EQ(doubled, std::vector<float>(8, 2.0f));
  ASSERT_TRUE(step(*session, 1).isOk());
  EXPECT_EQ(readW(*session), 303.0f);
  // The streams go on: the second run of the initializer differs.
  ASSERT_TRUE(session->initialize(3).isOk());
  EXPECT_EQ(readW(*session), 301.0f);
}

TEST_F(AdderTest, RefusesUninitializedReads) {
  std::unique_ptr<Session> session = makeSession();
  EXPECT_EQ(session->reportUninitialized(),
            (std::vector<std::string>{"w", "steps"}));
  Status status = step(*session, 1);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "Attempting to use uninitialized value w");
  EXPECT_EQ(session->getVariable("w").status().message(),
            "Attempting to use uninitialized value w");

  // An assignment makes a variable readable; the other is named next.
  float values[] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  ASSERT_TRUE(session->call("set", {{DType::F32, shape, values}}, {}).isOk());
  EXPECT_EQ(readW(*session, 2), 3.0f);
  EXPECT_EQ(step(*session, 1).message(),
            "Attempting to use uninitialized value steps");
  EXPECT_EQ(readW(*session, 2), 3.0f);
  EXPECT_TRUE(*session->isInitialized("w"));
  EXPECT_FALSE(*session->isInitialized("steps"));

  // Only what has no value gets one.
  ASSERT_TRUE(session->initializeMissing(9).isOk());
  EXPECT_EQ(readW(*session, 2), 3.0f);
  EXPECT_TRUE(session->reportUninitialized().empty());
  EXPECT_TRUE(step(*session, 1).isOk());
}

TEST_F(AdderTest, RefusesBadFeeds) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(1).isOk());
  Result<CallPlan *> plan = session->prepare("step");
  ASSERT_TRUE(plan.isOk());
  std::vector<float> data(64, 1.0f);
  int64_t good[] = {2, 4}, narrow[] = {2, 3}, longer[] = {3, 4}, flat[] = {8};
  ArrayView x{DType::F32, good, data.data()};
  MutableArrayView totalView{DType::F32, {}, &total};
  std::vector<float> out(8);
  MutableArrayView doubledView{DType::F32, good, out.data()};
  auto message = [&](llvm::ArrayRef<ArrayView> feeds) {
    Status status = (*plan)->call(feeds, {totalView, doubledView});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_EQ(message({x}), "You must feed a value for placeholder 'y'");
  EXPECT_EQ(message({x, {DType::F32, good, nullptr}}),
            "You must feed a value for placeholder 'y'");
  EXPECT_EQ(message({{DType::F32, narrow, data.data()}, x}),
            "Cannot feed value of shape (2, 3) for placeholder 'x', which has "
            "shape (?, 4)");
  EXPECT_EQ(message({{DType::F32, flat, data.data()}, x}),
            "Cannot feed value of shape (8,) for placeholder 'x', which has "
            "shape (?, 4)");
  EXPECT_EQ(message({{DType::I32, good, data.data()}, x}),
            "Cannot feed value of dtype int32 for placeholder 'x', which has "
            "dtype float32");
  EXPECT_EQ(message({x, {DType::F32, longer, data.data()}}),
            "feeds disagree on the dimension size 'batch': it is 2 in "
            "placeholder 'x' "
            "and 3 in placeholder 'y' of shape (3, 4)");
  EXPECT_EQ(message({x, x, x}), "entry 'step' takes 2 feeds, found 3");
  EXPECT_EQ((*plan)
                ->call({x, x}, {totalView, {DType::F32, longer, out.data()}})
                .message(),
            "expected a buffer of dtype float32 and shape (2, 4) for result "
            "'doubled', found dtype float32 and shape (3, 4)");
  EXPECT_EQ(
      (*plan)->call({x, x}, {totalView, {DType::F32, good, nullptr}}).message(),
      "expected a buffer for result 'doubled' of 'step', found a null "
      "pointer");
  // The body's own check: nothing has changed but the status.
  data[0] = -1.0f;
  EXPECT_EQ(message({x, x}), "x[0, 0] must not be negative");
  EXPECT_EQ(readW(*session), 100.0f);
}

TEST_F(AdderTest, OrdersFeedsByName) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(1).isOk());
  CallPlan *plan = *session->prepare("step");
  float data[4] = {1, 2, 3, 4};
  int64_t shape[] = {1, 4};
  ArrayView view{DType::F32, shape, data};
  Result<std::vector<ArrayView>> feeds =
      plan->orderFeeds({{"y", view}, {"x", view}});
  ASSERT_TRUE(feeds.isOk());
  Result<std::vector<Shape>> shapes = plan->inferResultShapes(*feeds);
  ASSERT_TRUE(shapes.isOk());
  EXPECT_EQ(*shapes, (std::vector<Shape>{{}, {1, 4}}));
  EXPECT_EQ(plan->orderFeeds({{"z", view}}).status().message(),
            "entry 'step' has no placeholder 'z'; it has 'x', 'y'");
  EXPECT_EQ(plan->orderFeeds({{"x", view}, {"x", view}}).status().message(),
            "placeholder 'x' is fed twice");
  feeds = plan->orderFeeds({{"y", view}});
  ASSERT_TRUE(feeds.isOk());
  EXPECT_EQ(plan->inferResultShapes(*feeds).status().message(),
            "You must feed a value for placeholder 'x'");
}

TEST_F(AdderTest, GrowsItsWorkspace) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_TRUE(session->initialize(0).isOk());
  // The JIT has no bound on dimension sizes; a smaller batch after a larger
  // one, and no rows at all, are fine too.
  int64_t rows = 0;
  for (int64_t batch : {1, 1000, 3, 0, 20000, 1}) {
    ASSERT_TRUE(step(*session, batch, 0.5f).isOk());
    EXPECT_EQ(doubled, std::vector<float>(batch * 4, 2.0f));
    rows += batch;
    EXPECT_EQ(readW(*session), 0.5f * rows);
  }
}

TEST_F(AdderTest, SessionsAreIndependentUnlessTheyShare) {
  std::unique_ptr<Session> first = makeSession(), second = makeSession();
  ASSERT_TRUE(first->initialize(1).isOk());
  EXPECT_FALSE(step(*second, 1).isOk());
  ASSERT_TRUE(second->initialize(2).isOk());
  ASSERT_TRUE(step(*first, 1).isOk());
  EXPECT_EQ(readW(*first), 101.0f);
  EXPECT_EQ(readW(*second), 200.0f);

  std::unique_ptr<Session> third = Session::share(*first);
  ASSERT_TRUE(step(*third, 1).isOk());
  EXPECT_EQ(readW(*first), 102.0f);
}

TEST_F(AdderTest, AccessesVariables) {
  std::unique_ptr<Session> session = makeSession();
  float values[] = {1, 2, 3, 4};
  int64_t four[] = {4}, two[] = {2, 2};
  EXPECT_EQ(session->setVariable("v", {DType::F32, four, values}).message(),
            "model 'adder' has no variable 'v'; it has: w, steps");
  EXPECT_EQ(session->setVariable("w", {DType::F64, four, values}).message(),
            "cannot assign a value of dtype float64 to variable 'w' of dtype "
            "float32");
  EXPECT_EQ(session->setVariable("w", {DType::F32, two, values}).message(),
            "the shapes of a variable and its new value must be equal: cannot "
            "assign a value of shape (2, 2) to variable 'w' of shape (4,)");
  EXPECT_FALSE(*session->isInitialized("w"));
  ASSERT_TRUE(session->setVariable("w", {DType::F32, four, values}).isOk());
  EXPECT_EQ(readW(*session, 3), 4.0f);
  EXPECT_EQ(session->isInitialized("v").status().code(), StatusCode::kNotFound);
  Status status = session->call("train", {}, {});
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "model 'adder' has no entry 'train'; it has: step, set");
}

} // namespace
