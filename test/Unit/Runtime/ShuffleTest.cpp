//===- ShuffleTest.cpp - Golden values of the shuffle -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Shuffle.h"

#include "flywheel/Runtime/Dataset.h"

#include "TestSupport.h"

#include <algorithm>
#include <cmath>

using namespace flywheel::runtime;

extern "C" void flywheelPermutationInC(uint64_t *values, uint64_t count,
                                       uint64_t seed);

namespace {

using Rows = std::vector<uint64_t>;

Rows permutation(uint64_t count, uint64_t seed) {
  Rows rows(count);
  flywheel_permutation(rows.data(), count, seed);
  return rows;
}

TEST(Shuffle, Splitmix64) {
  // The published sequence for the seed 1234567.
  uint64_t state = 1234567;
  for (uint64_t expected :
       {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)})
    EXPECT_EQ(flywheel_splitmix64(&state), expected);
}

TEST(Shuffle, GoldenPermutations) {
  // Computed by a separate implementation of the comment in Shuffle.h.
  EXPECT_EQ(permutation(10, 0), (Rows{6, 3, 2, 9, 8, 1, 4, 7, 0, 5}));
  EXPECT_EQ(permutation(10, 42), (Rows{0, 9, 5, 8, 6, 4, 7, 2, 1, 3}));
  EXPECT_EQ(permutation(0, 42), Rows());
  EXPECT_EQ(permutation(1, 42), Rows{0});
}

TEST(Shuffle, SameInC) {
  Rows rows(1797);
  flywheelPermutationInC(rows.data(), rows.size(), 7);
  EXPECT_EQ(rows, permutation(1797, 7));
}

TEST(Shuffle, HoldoutCount) {
  EXPECT_EQ(flywheel_holdout_count(1797, 0.2), 359u);
  EXPECT_EQ(flywheel_holdout_count(10, 0.0), 0u);
  EXPECT_EQ(flywheel_holdout_count(10, 0.1), 1u);
  EXPECT_EQ(flywheel_holdout_count(10, 0.19), 1u);
  EXPECT_EQ(flywheel_holdout_count(10, 1.0), 10u);
  EXPECT_EQ(flywheel_holdout_count(UINT64_MAX, 1.0), UINT64_MAX);
  EXPECT_EQ(flywheel_holdout_count(0, 0.5), 0u);
}

TEST(Shuffle, Split) {
  Result<RowSplit> split = splitRows(1797, 0.2, 7);
  ASSERT_OK(split.status());
  ASSERT_EQ(split->training.size(), 1438u);
  ASSERT_EQ(split->heldOut.size(), 359u);
  EXPECT_EQ(Rows(split->training.begin(), split->training.begin() + 5),
            (Rows{1654, 823, 1611, 1572, 1650}));
  EXPECT_EQ(Rows(split->heldOut.begin(), split->heldOut.begin() + 3),
            (Rows{466, 206, 737}));
  EXPECT_EQ(Rows(split->heldOut.end() - 3, split->heldOut.end()),
            (Rows{1711, 1308, 798}));
  Rows all = split->training;
  all.insert(all.end(), split->heldOut.begin(), split->heldOut.end());
  EXPECT_EQ(all, permutation(1797, 7));
  std::sort(all.begin(), all.end());
  for (uint64_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], i);
}

TEST(Shuffle, SplitLimits) {
  EXPECT_TRUE(splitRows(10, 0.0, 1)->heldOut.empty());
  EXPECT_TRUE(splitRows(10, 1.0, 1)->training.empty());
  EXPECT_TRUE(splitRows(0, 0.5, 1)->training.empty());
  for (double bad : {-0.1, 1.1, double(NAN), double(INFINITY)})
    EXPECT_ERROR(splitRows(10, bad, 1).status(), kInvalidArgument, "[0, 1]");
}

TEST(Shuffle, EpochOrder) {
  EXPECT_EQ(flywheel_epoch_seed(1, 0), UINT64_C(0x6078bf180ff8632f));
  EXPECT_EQ(flywheel_epoch_seed(1, 1), UINT64_C(0xd11f5a75f7215b2a));
  EXPECT_EQ(flywheel_epoch_seed(1, 1000), UINT64_C(0x39ca42292cee3aa4));
  Rows rows = {2, 4, 6, 8, 10, 12};
  EXPECT_EQ(epochOrder(rows, 1, 1), (Rows{10, 8, 2, 6, 12, 4}));
  EXPECT_NE(epochOrder(rows, 1, 0), epochOrder(rows, 1, 1));
  EXPECT_TRUE(epochOrder({}, 1, 0).empty());
}

} // namespace
