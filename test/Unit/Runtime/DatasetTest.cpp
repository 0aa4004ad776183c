//===- DatasetTest.cpp - Columns, conversions and batches ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Dataset.h"

#include "TestSupport.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

class DatasetTest : public TemporaryDirectoryTest {
protected:
  /// A data set with the one column "c" that holds \p values, a row each.
  template <typename T>
  Result<Dataset> oneColumn(DType dtype, const std::vector<T> &values) {
    EXPECT_OK(writeSafetensors(
        path("f"), {{"c", dtype, {int64_t(values.size())}, values.data()}}));
    return Dataset::load(path("f"));
  }

  /// Binds the column of \p values to \p feed.
  template <typename T>
  Status bindStatus(DType dtype, std::vector<T> values, DType feed) {
    Result<Dataset> dataset = oneColumn(dtype, values);
    return dataset.isOk() ? dataset->bind("c", feed).status()
                          : dataset.status();
  }

  /// The column of \p values after conversion to \p feed.
  template <typename To, typename From>
  std::vector<To> converted(DType dtype, std::vector<From> values, DType feed) {
    std::vector<To> out(values.size());
    Result<Dataset> dataset = oneColumn(dtype, values);
    Result<ColumnFeed> column = dataset->bind("c", feed);
    EXPECT_OK(column.status());
    if (!column.isOk())
      return {};
    EXPECT_EQ(column->rowBytes(), sizeof(To));
    for (uint64_t i = 0; i < values.size(); ++i)
      EXPECT_OK(column->gather(&i, 1, &out[i]));
    return out;
  }
};

TEST_F(DatasetTest, RefusesTooManyRowsOfNothing) {
  EXPECT_OK(writeSafetensors(
      path("f"), {{"c", DType::F32, {int64_t(1) << 60, 0}, nullptr}}));
  Status status = Dataset::load(path("f")).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("rows without elements, at most 16777216"),
            std::string::npos)
      << status.message();
}

TEST_F(DatasetTest, LoadsTheDigits) {
  Result<Dataset> digits = Dataset::load(FLYWHEEL_DIGITS_FILE);
  ASSERT_OK(digits.status());
  EXPECT_EQ(digits->numRows(), 1797u);
  EXPECT_EQ(digits->columns().size(), 2u);
  EXPECT_EQ(digits->metadata().at("license").substr(0, 9), "CC BY 4.0");

  Result<ColumnFeed> image = digits->bind("image", DType::F32);
  Result<ColumnFeed> label = digits->bind("label", DType::I32);
  ASSERT_OK(image.status());
  ASSERT_OK(label.status());
  EXPECT_EQ(image->rowShape(), Shape{64});
  EXPECT_EQ(image->rowBytes(), 256u);
  EXPECT_TRUE(label->rowShape().empty());
  uint64_t rows[] = {0, 1796, 1};
  float pixels[3 * 64];
  int32_t labels[3];
  ASSERT_OK(image->gather(rows, 3, pixels));
  ASSERT_OK(label->gather(rows, 3, labels));
  EXPECT_EQ(labels[0], 0);
  EXPECT_EQ(labels[1], 8);
  EXPECT_EQ(labels[2], 1);
  EXPECT_EQ(std::vector<float>(pixels, pixels + 8),
            (std::vector<float>{0, 0, 5, 13, 9, 1, 0, 0}));
  EXPECT_EQ(pixels[2 * 64 + 3], 12.0f);
}

TEST_F(DatasetTest, ChecksRowCounts) {
  uint8_t bytes[6] = {};
  ASSERT_OK(writeSafetensors(path("f"), {{"a", DType::U8, {2, 3}, bytes},
                                         {"b", DType::U8, {3}, bytes},
                                         {"s", DType::U8, {}, bytes}}));
  EXPECT_ERROR(Dataset::load(path("f"), {"a", "b"}).status(), kInvalidArgument,
               "\"a\" has 2, \"b\" has 3");
  EXPECT_ERROR(Dataset::load(path("f"), {"s"}).status(), kInvalidArgument,
               "column \"s\" is a scalar");
  EXPECT_ERROR(Dataset::load(path("f"), {"a", "x"}).status(), kNotFound,
               "has no column \"x\"");
  // Columns that nobody asks for do not count.
  Result<Dataset> dataset = Dataset::load(path("f"), {"a"});
  ASSERT_OK(dataset.status());
  EXPECT_EQ(dataset->numRows(), 2u);
  EXPECT_ERROR(dataset->bind("b", DType::U8).status(), kNotFound, "\"b\"");

  ASSERT_OK(writeSafetensors(path("g"), {}));
  EXPECT_ERROR(Dataset::load(path("g")).status(), kInvalidArgument,
               "has no columns");
  EXPECT_ERROR(Dataset::load(path("none")).status(), kNotFound, path("none"));
}

TEST_F(DatasetTest, GatherChecksRowsAndOutlivesTheDataset) {
  Result<ColumnFeed> column = [&] {
    return oneColumn<uint8_t>(DType::U8, {5, 6, 7})->bind("c", DType::I64);
  }();
  ASSERT_OK(column.status());
  uint64_t bad[] = {0, 3}, good[] = {2, 0, 2};
  int64_t out[3] = {-1, -1, -1};
  EXPECT_ERROR(column->gather(bad, 2, out), kInvalidArgument,
               "there is no row 3");
  EXPECT_EQ(out[0], -1);
  ASSERT_OK(column->gather(good, 3, out));
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[1], 5);
  EXPECT_EQ(out[2], 7);
  EXPECT_OK(column->gather(nullptr, 0, nullptr));
}

TEST_F(DatasetTest, NoRows) {
  ASSERT_OK(writeSafetensors(path("f"),
                             {{"a", DType::U8, {0, 3}, nullptr},
                              {"huge", DType::U8, {0, INT64_MAX}, nullptr}}));
  Result<Dataset> dataset = Dataset::load(path("f"));
  ASSERT_OK(dataset.status());
  EXPECT_EQ(dataset->numRows(), 0u);
  EXPECT_EQ(dataset->bind("a", DType::F32)->rowBytes(), 12u);
  EXPECT_ERROR(dataset->bind("huge", DType::F32).status(), kInvalidArgument,
               "overflows");
}

TEST_F(DatasetTest, EmptyRows) {
  ASSERT_OK(writeSafetensors(path("f"), {{"a", DType::I64, {2, 0}, nullptr}}));
  Result<ColumnFeed> column = Dataset::load(path("f"))->bind("a", DType::I32);
  ASSERT_OK(column.status());
  uint64_t row = 1;
  EXPECT_OK(column->gather(&row, 1, nullptr));
}

TEST_F(DatasetTest, LosslessConversions) {
  auto lossless = [](DType from, std::vector<DType> expected) {
    for (unsigned i = 0; i < numDTypes; ++i) {
      bool isExpected = std::find(expected.begin(), expected.end(), DType(i)) !=
                        expected.end();
      EXPECT_EQ(isLosslessConversion(from, DType(i)), isExpected)
          << numpyName(from) << " -> " << numpyName(DType(i));
    }
  };
  using D = DType;
  lossless(D::Bool, {D::Bool, D::I8, D::I16, D::I32, D::I64, D::U8, D::U16,
                     D::U32, D::U64, D::F16, D::BF16, D::F32, D::F64});
  lossless(D::I8,
           {D::I8, D::I16, D::I32, D::I64, D::F16, D::BF16, D::F32, D::F64});
  lossless(D::I16, {D::I16, D::I32, D::I64, D::F32, D::F64});
  lossless(D::I32, {D::I32, D::I64, D::F64});
  lossless(D::I64, {D::I64});
  lossless(D::U8, {D::I16, D::I32, D::I64, D::U8, D::U16, D::U32, D::U64,
                   D::F16, D::BF16, D::F32, D::F64});
  lossless(D::U16, {D::I32, D::I64, D::U16, D::U32, D::U64, D::F32, D::F64});
  lossless(D::U32, {D::I64, D::U32, D::U64, D::F64});
  lossless(D::U64, {D::U64});
  lossless(D::F16, {D::F16, D::F32, D::F64});
  lossless(D::BF16, {D::BF16, D::F32, D::F64});
  lossless(D::F32, {D::F32, D::F64});
  lossless(D::F64, {D::F64});
}

TEST_F(DatasetTest, ConvertsValues) {
  using U8 = std::vector<uint8_t>;
  EXPECT_EQ(converted<float>(DType::U8, U8{0, 16, 255}, DType::F32),
            (std::vector<float>{0, 16, 255}));
  EXPECT_EQ(converted<int32_t>(DType::U8, U8{0, 255}, DType::I32),
            (std::vector<int32_t>{0, 255}));
  EXPECT_EQ(converted<int64_t>(DType::I32, std::vector<int32_t>{INT32_MIN, 7},
                               DType::I64),
            (std::vector<int64_t>{INT32_MIN, 7}));
  EXPECT_EQ(converted<uint16_t>(DType::U8, U8{1, 255}, DType::F16),
            (std::vector<uint16_t>{0x3c00, 0x5bf8}));
  EXPECT_EQ(converted<uint16_t>(DType::U8, U8{1, 255}, DType::BF16),
            (std::vector<uint16_t>{0x3f80, 0x437f}));
  EXPECT_EQ(converted<float>(DType::F16,
                             std::vector<uint16_t>{0x3c00, 0xfc00, 1},
                             DType::F32),
            (std::vector<float>{1, -INFINITY, std::ldexp(1.0f, -24)}));
  EXPECT_EQ(converted<double>(DType::Bool, U8{0, 1}, DType::F64),
            (std::vector<double>{0, 1}));
  // Not known from the dtypes, but true for these values.
  EXPECT_EQ(converted<int32_t>(DType::I64,
                               std::vector<int64_t>{INT32_MIN, INT32_MAX},
                               DType::I32),
            (std::vector<int32_t>{INT32_MIN, INT32_MAX}));
  EXPECT_EQ(converted<float>(DType::F64, std::vector<double>{0.5, -INFINITY},
                             DType::F32),
            (std::vector<float>{0.5f, -INFINITY}));
  EXPECT_EQ(
      converted<uint8_t>(DType::F64, std::vector<double>{0, 1}, DType::Bool),
      (U8{0, 1}));
  EXPECT_EQ(converted<uint64_t>(DType::F64,
                                std::vector<double>{std::ldexp(1.0, 63)},
                                DType::U64),
            std::vector<uint64_t>{uint64_t(1) << 63});
  EXPECT_EQ(converted<double>(DType::I64, std::vector<int64_t>{INT64_MIN},
                              DType::F64),
            std::vector<double>{-std::ldexp(1.0, 63)});
}

TEST_F(DatasetTest, RefusesInexactConversions) {
  EXPECT_ERROR(bindStatus<int64_t>(DType::I64, {1, 2, 3000000000}, DType::I32),
               kInvalidArgument,
               "its dtype is int64, the feed's is int32, and the value "
               "3000000000 in row 2 does not fit");
  EXPECT_ERROR(bindStatus<int64_t>(DType::I64, {-1}, DType::U64),
               kInvalidArgument, "column \"c\"");
  EXPECT_ERROR(bindStatus<int8_t>(DType::I8, {-1}, DType::U8), kInvalidArgument,
               "the value -1");
  EXPECT_ERROR(bindStatus<uint8_t>(DType::U8, {128}, DType::I8),
               kInvalidArgument, "the value 128");
  EXPECT_ERROR(bindStatus<uint8_t>(DType::U8, {2}, DType::Bool),
               kInvalidArgument, "the value 2");
  EXPECT_ERROR(bindStatus<uint8_t>(DType::Bool, {2}, DType::F32),
               kInvalidArgument, "the value 2");
  EXPECT_ERROR(bindStatus<int32_t>(DType::I32, {(1 << 24) + 1}, DType::F32),
               kInvalidArgument, "16777217");
  EXPECT_ERROR(bindStatus<int32_t>(DType::I32, {65536}, DType::F16),
               kInvalidArgument, "65536");
  EXPECT_ERROR(bindStatus<uint64_t>(DType::U64, {UINT64_MAX}, DType::F64),
               kInvalidArgument, "18446744073709551615");
  EXPECT_ERROR(bindStatus<double>(DType::F64, {0.1}, DType::F32),
               kInvalidArgument, "0.1");
  EXPECT_ERROR(bindStatus<double>(DType::F64, {1e300}, DType::BF16),
               kInvalidArgument, "1e+300");
  EXPECT_ERROR(bindStatus<float>(DType::F32, {0.5f}, DType::I32),
               kInvalidArgument, "0.5");
  EXPECT_ERROR(bindStatus<float>(DType::F32, {NAN}, DType::I64),
               kInvalidArgument, "nan");
  EXPECT_ERROR(
      bindStatus<double>(DType::F64, {std::ldexp(1.0, 63)}, DType::I64),
      kInvalidArgument, "9223372036854775808");
  EXPECT_ERROR(bindStatus<float>(DType::F32, {65520.0f}, DType::F16),
               kInvalidArgument, "65520");
  EXPECT_OK(bindStatus<float>(DType::F32, {NAN, 65504.0f}, DType::F16));
  EXPECT_OK(bindStatus<int32_t>(DType::I32, {1 << 24, 1 << 30}, DType::F32));
}

} // namespace
