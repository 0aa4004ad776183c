//===- DTypeTest.cpp - Element types, shapes, half floats ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/DType.h"

#include "flywheel/Runtime/HalfFloat.h"
#include "flywheel/Runtime/JsonString.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace flywheel::runtime;

namespace {

TEST(DType, NamesAndSizes) {
  struct Row {
    DType dtype;
    size_t size;
    const char *safetensors, *numpy;
  } rows[] = {
      {DType::Bool, 1, "BOOL", "bool"},     {DType::I8, 1, "I8", "int8"},
      {DType::I16, 2, "I16", "int16"},      {DType::I32, 4, "I32", "int32"},
      {DType::I64, 8, "I64", "int64"},      {DType::U8, 1, "U8", "uint8"},
      {DType::U16, 2, "U16", "uint16"},     {DType::U32, 4, "U32", "uint32"},
      {DType::U64, 8, "U64", "uint64"},     {DType::F16, 2, "F16", "float16"},
      {DType::BF16, 2, "BF16", "bfloat16"}, {DType::F32, 4, "F32", "float32"},
      {DType::F64, 8, "F64", "float64"},
  };
  EXPECT_EQ(std::size(rows), numDTypes);
  for (const Row &row : rows) {
    EXPECT_EQ(dtypeSize(row.dtype), row.size);
    EXPECT_EQ(safetensorsName(row.dtype), row.safetensors);
    EXPECT_EQ(numpyName(row.dtype), row.numpy);
    EXPECT_EQ(dtypeFromSafetensorsName(row.safetensors), row.dtype);
    EXPECT_EQ(dtypeFromNumpyName(row.numpy), row.dtype);
    EXPECT_EQ(isFloatingPoint(row.dtype), row.dtype >= DType::F16);
  }
  EXPECT_FALSE(dtypeFromSafetensorsName("F8_E4M3"));
  EXPECT_FALSE(dtypeFromSafetensorsName("f32"));
  EXPECT_FALSE(dtypeFromNumpyName("complex64"));
}

TEST(DType, ElementCountAndOverflow) {
  constexpr int64_t big = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(elementCount({}), 1u);
  EXPECT_EQ(elementCount({3, 4}), 12u);
  EXPECT_EQ(elementCount({3, 0}), 0u);
  EXPECT_EQ(elementCount({big}), uint64_t(big));
  EXPECT_FALSE(elementCount({-1}));
  EXPECT_FALSE(elementCount({big, 2}));
  // Empty, but its strides overflow, in whichever order.
  EXPECT_FALSE(elementCount({0, big, 2}));
  EXPECT_FALSE(elementCount({big, 2, 0}));
  EXPECT_FALSE(byteCount(DType::I16, {big}));
  EXPECT_EQ(byteCount(DType::F64, {2, 3}), 48u);
}

TEST(DType, FormatShape) {
  EXPECT_EQ(formatShape({}), "[]");
  EXPECT_EQ(formatShape({64, 10}), "[64,10]");
}

template <typename T> std::string format(DType dtype, T value) {
  return formatElement(dtype, &value);
}

TEST(DType, FormatElementRoundTrips) {
  EXPECT_EQ(format(DType::Bool, uint8_t(1)), "true");
  EXPECT_EQ(format(DType::Bool, uint8_t(0)), "false");
  EXPECT_EQ(format(DType::I8, int8_t(-128)), "-128");
  EXPECT_EQ(format(DType::U8, uint8_t(255)), "255");
  EXPECT_EQ(format(DType::U64, UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(format(DType::I64, INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(format(DType::F32, 0.1f), "0.1");
  EXPECT_EQ(format(DType::F64, -std::numeric_limits<double>::min()),
            "-2.2250738585072014e-308");
  EXPECT_EQ(format(DType::F16, floatToHalf(0.1f)), "0.0999755859375");
  EXPECT_EQ(format(DType::BF16, floatToBFloat16(0.1f)), "0.10009765625");
  EXPECT_EQ(format(DType::F32, INFINITY), "inf");
  // NaNs of either sign.
  EXPECT_EQ(format(DType::F32, bitsToFloat(0xFFC00000)), "nan");
  EXPECT_EQ(format(DType::F32, bitsToFloat(0x7FC00000)), "nan");
  EXPECT_EQ(format(DType::BF16, uint16_t(0xFFC0)), "nan");
  uint32_t bits = 0x12345;
  for (int i = 0; i < 10000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    float value = bitsToFloat(bits);
    if (std::isnan(value))
      continue;
    float back = std::strtof(format(DType::F32, value).c_str(), nullptr);
    EXPECT_EQ(floatToBits(back), bits);
  }
}

TEST(HalfFloat, EveryHalfRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    float bvalue = bfloat16ToFloat(uint16_t(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
    else
      EXPECT_EQ(floatToHalf(value), bits);
    if (std::isnan(bvalue))
      EXPECT_TRUE(std::isnan(bfloat16ToFloat(floatToBFloat16(bvalue))));
    else
      EXPECT_EQ(floatToBFloat16(bvalue), bits);
  }
}

TEST(HalfFloat, RoundsToNearestEven) {
  EXPECT_EQ(halfToFloat(floatToHalf(3.23f)), 3.23046875f);
  EXPECT_EQ(bfloat16ToFloat(floatToBFloat16(3.23f)), 3.234375f);
  EXPECT_EQ(halfToFloat(floatToHalf(2049.0f)), 2048.0f);
  EXPECT_EQ(halfToFloat(floatToHalf(2051.0f)), 2052.0f);
  EXPECT_EQ(bfloat16ToFloat(floatToBFloat16(257.0f)), 256.0f);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(floatToHalf(std::ldexp(1.0f, -25)), 0x0000);
  EXPECT_EQ(floatToHalf(std::ldexp(3.0f, -26)), 0x0001);
  EXPECT_EQ(floatToBFloat16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(JsonString, QuotesAndValidates) {
  EXPECT_EQ(quoteJson("a/b"), "\"a/b\"");
  EXPECT_EQ(quoteJson("\"\\\n\x7f"), "\"\\\"\\\\\\u000a\\u007f\"");
  EXPECT_EQ(quoteJson(std::string("\0", 1)), "\"\\u0000\"");
  EXPECT_TRUE(isValidUtf8("gr\xc3\xbc\xc3\x9f"));
  EXPECT_FALSE(isValidUtf8("\xff"));
  EXPECT_FALSE(isValidUtf8("\xc3"));
}

} // namespace
