//===- StringTableTest.cpp - Numbers of strings ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/StringTable.h"

#include <gtest/gtest.h>

using namespace flywheel::runtime;

namespace {

TEST(StringTable, NumbersConstantsFromOne) {
  StringTable table({"Fruit", "orange"});
  EXPECT_EQ(table.text(0), "");
  EXPECT_EQ(table.text(1), "Fruit");
  EXPECT_EQ(table.text(2), "orange");
  EXPECT_EQ(table.intern("Fruit"), 1);
  EXPECT_EQ(table.intern(""), 0);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.byteSize(), 11u);
}

TEST(StringTable, EqualBytesHaveOneNumber) {
  StringTable table;
  std::string zeros("a\0b", 3), same("a\0b", 3), other("a\0c", 3);
  int64_t number = table.intern(zeros);
  EXPECT_EQ(table.intern(same), number);
  EXPECT_NE(table.intern(other), number);
  EXPECT_NE(table.intern("a"), number);
  EXPECT_EQ(table.text(number), zeros);
  std::string large(1 << 20, 'x');
  EXPECT_EQ(table.text(table.intern(large)), large);
}

TEST(StringTable, AnUnknownNumberIsEmpty) {
  StringTable table({"one"});
  for (int64_t number : {INT64_MIN, INT64_C(-1), INT64_C(2), INT64_MAX})
    EXPECT_EQ(table.text(number), "");
}

TEST(StringTable, CollectionKeepsNumbers) {
  StringTable table({"constant"});
  int64_t kept = table.intern("kept"), dead = table.intern("dead");
  table.collect({kept, 0, -5, 1000});
  EXPECT_EQ(table.text(kept), "kept");
  EXPECT_EQ(table.text(1), "constant");
  EXPECT_EQ(table.text(dead), "");
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.byteSize(), 12u);
  // The number is given again, to another string.
  EXPECT_EQ(table.intern("fresh"), dead);
  EXPECT_EQ(table.text(dead), "fresh");
  EXPECT_EQ(table.intern("kept"), kept);
  table.collect({});
  table.collect({});
  EXPECT_EQ(table.size(), 1u);
  EXPECT_NE(table.intern("x"), table.intern("y"));
}

TEST(StringTable, GrowthAsksForACollection) {
  StringTable table;
  EXPECT_FALSE(table.wantsCollection());
  std::vector<int64_t> live;
  for (int i = 0; !table.wantsCollection(); ++i) {
    ASSERT_LT(i, 100000);
    live.push_back(table.intern("text " + std::to_string(i)));
  }
  table.collect(live);
  // Nothing was forgotten: the table may double before it asks again.
  EXPECT_EQ(table.size(), live.size());
  EXPECT_FALSE(table.wantsCollection());
  for (size_t i = 0; i < live.size(); ++i)
    table.intern("more " + std::to_string(i));
  EXPECT_TRUE(table.wantsCollection());
  table.collect({});
  EXPECT_EQ(table.size(), 0u);
  // Few strings of many bytes count too.
  table.intern(std::string(4 << 20, 'x'));
  EXPECT_TRUE(table.wantsCollection());
}

} // namespace
