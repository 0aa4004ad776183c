//===- SafetensorsMalformedTest.cpp - Damaged files are errors ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "flywheel/Runtime/Shuffle.h"

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

using SafetensorsMalformed = TemporaryDirectoryTest;

std::string validFile() {
  return fileBytes(
      "{\"__metadata__\":{\"k\":\"v\"},"
      "\"a\":{\"dtype\":\"I16\",\"shape\":[1,2],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4,7]}}   ",
      "1234567");
}

/// One tensor named a with this entry and four bytes of data.
std::string withEntry(const std::string &entry) {
  return fileBytes("{\"a\":" + entry + "}", "1234");
}

std::string entry(const std::string &dtype, const std::string &shape,
                  const std::string &offsets) {
  return "{\"dtype\":" + dtype + ",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

void expectMalformed(const std::string &bytes, const std::string &reason) {
  Result<SafetensorsFile> file = parseBytes(bytes);
  ASSERT_FALSE(file.isOk()) << "expected: " << reason;
  EXPECT_ERROR(file.status(), kDataLoss, reason);
  EXPECT_ERROR(file.status(), kDataLoss,
               "'test.file' is not a valid safetensors file: ");
}

TEST_F(SafetensorsMalformed, TruncationAtEveryByte) {
  std::string valid = validFile();
  ASSERT_OK(parseBytes(valid).status());
  for (size_t size = 0; size < valid.size(); ++size) {
    write("f", valid.substr(0, size));
    EXPECT_ERROR(SafetensorsFile::open(path("f")).status(), kDataLoss,
                 path("f"));
    expectMalformed(valid.substr(0, size), "");
  }
  expectMalformed(valid + "x", "the last 1 bytes of the data section");
}

TEST_F(SafetensorsMalformed, HeaderLength) {
  expectMalformed(std::string(8, '\xff'), "18446744073709551615 bytes");
  // Below the limit, but not in the file; above the limit.
  expectMalformed(std::string("\0\0\0\4\0\0\0\0{}", 10), "does not fit");
  expectMalformed(std::string("\0\0\0\6\0\0\0\0{}", 10), "the limit");
  expectMalformed(std::string(8, '\0'), "does not begin with '{'");
  expectMalformed(std::string("\1\0\0\0\0\0\0\0{", 9), "not valid JSON");
}

TEST_F(SafetensorsMalformed, Json) {
  for (const char *json :
       {"{", "{\"a\"", "{\"a\":", "{}}", "{} x", "{,}", "{a:1}",
        "{\"a\":{\"shape\":[1,]}}", "{\"\xff\":{}}", "{'a':{}}",
        "{\"a\":{\"shape\":[1e999]}}", "{}//", "{\"\\ud800\":{}}"})
    expectMalformed(fileBytes(json, ""), "not valid JSON");
  for (const char *json :
       {"", " {}", "[]", "null", "1", "\"a\"", "x", "\xef\xbb\xbf{}"})
    expectMalformed(fileBytes(json, ""), "does not begin with '{'");
  expectMalformed(fileBytes(std::string("{}\0x", 4), ""), "null byte");
  // Deep nesting is refused at its first level.
  expectMalformed(fileBytes("{\"a\":" + std::string(1 << 20, '['), ""),
                  "\"a\" must be an object, found an array");
  expectMalformed(
      fileBytes("{\"a\":{\"shape\":" + std::string(1 << 20, '['), ""),
      "\"shape\" must be non-negative 64-bit integers, found an array");
}

TEST_F(SafetensorsMalformed, TypesOfFields) {
  for (const char *value : {"1", "-1", "1.5", "null", "true", "\"x\"", "[]"})
    expectMalformed(withEntry(value), "\"a\" must be an object");
  for (const char *value : {"1", "null", "true", "[]", "{}", "[\"F32\"]"})
    expectMalformed(withEntry(entry(value, "[1]", "[0,4]")),
                    "\"dtype\" must be a string");
  for (const char *value : {"1", "null", "\"x\"", "{}"})
    expectMalformed(withEntry(entry("\"F32\"", value, "[0,4]")),
                    "\"shape\" must be an array of dimension sizes");
  for (const char *value :
       {"[-1]", "[1.0]", "[null]", "[\"1\"]", "[[1]]", "[true]", "[{}]",
        "[9223372036854775808]", "[18446744073709551616]"})
    expectMalformed(withEntry(entry("\"F32\"", value, "[0,4]")),
                    "\"shape\" must be non-negative 64-bit integers");
  for (const char *value : {"1", "null", "\"x\"", "{}"})
    expectMalformed(withEntry(entry("\"F32\"", "[1]", value)),
                    "\"data_offsets\" must be an array of two offsets");
  for (const char *value : {"[]", "[0]"})
    expectMalformed(withEntry(entry("\"F32\"", "[1]", value)),
                    "\"data_offsets\" must be two numbers");
  for (const char *value : {"[0,4,8]", "[0,-4]", "[0,4.0]", "[0,\"4\"]"})
    expectMalformed(withEntry(entry("\"F32\"", "[1]", value)),
                    "\"data_offsets\" must be two non-negative");
  for (const char *value : {"1", "null", "[]", "{}"})
    expectMalformed(
        fileBytes(std::string("{\"__metadata__\":{\"k\":") + value + "}}", ""),
        "metadata \"k\" must be a string");
  expectMalformed(fileBytes("{\"__metadata__\":[]}", ""),
                  "\"__metadata__\" must be an object");
}

TEST_F(SafetensorsMalformed, FieldsAndNames) {
  expectMalformed(withEntry(entry("\"F99\"", "[1]", "[0,4]")),
                  "unsupported dtype \"F99\"");
  expectMalformed(withEntry("{\"dtype\":\"F32\",\"shape\":[1]}"),
                  "no \"data_offsets\"");
  expectMalformed(withEntry("{\"dtype\":\"F32\",\"data_offsets\":[0,4]}"),
                  "no \"shape\"");
  expectMalformed(withEntry("{\"shape\":[1],\"data_offsets\":[0,4]}"),
                  "no \"dtype\"");
  expectMalformed(withEntry("{}"), "tensor \"a\": no \"dtype\"");
  expectMalformed(withEntry("{\"dtype\":\"F32\",\"dtype\":\"F32\"}"),
                  "duplicate field \"dtype\"");
  expectMalformed(withEntry("{\"stride\":[1]}"), "unknown field \"stride\"");
  std::string one = entry("\"I16\"", "[1]", "[0,2]");
  std::string two = entry("\"I16\"", "[1]", "[2,4]");
  expectMalformed(fileBytes("{\"a\":" + one + ",\"a\":" + two + "}", "1234"),
                  "duplicate name \"a\"");
  // The same name, spelled differently.
  expectMalformed(
      fileBytes("{\"a\":" + one + ",\"\\u0061\":" + two + "}", "1234"),
      "duplicate name \"a\"");
  expectMalformed(fileBytes("{\"__metadata__\":{},\"__metadata__\":{}}", ""),
                  "duplicate name \"__metadata__\"");
  expectMalformed(fileBytes("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", ""),
                  "the metadata: duplicate field \"k\"");
}

TEST_F(SafetensorsMalformed, Layout) {
  expectMalformed(withEntry(entry("\"F32\"", "[1]", "[0,8]")),
                  "leave the data section of 4 bytes");
  expectMalformed(withEntry(entry("\"F32\"", "[1]", "[4,0]")), "reversed");
  expectMalformed(
      withEntry(entry("\"F32\"", "[1]",
                      "[18446744073709551612,18446744073709551615]")),
      "leave the data section");
  expectMalformed(withEntry(entry("\"F32\"", "[2]", "[0,4]")),
                  "needs 8 bytes, the data offsets give 4");
  expectMalformed(withEntry(entry("\"F32\"", "[0]", "[0,4]")), "needs 0 bytes");
  for (const char *shape :
       {"[4294967296,4294967296]", "[9223372036854775807,2]",
        "[9223372036854775807]", "[4611686018427387905,4]",
        "[0,9223372036854775807,2]"})
    expectMalformed(withEntry(entry("\"F32\"", shape, "[0,4]")), "overflows");
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i)
    ones += ",1";
  expectMalformed(withEntry(entry("\"F32\"", ones + "]", "[0,4]")),
                  "the rank is above 64");

  auto two = [](const std::string &a, const std::string &b) {
    return fileBytes("{\"a\":" + a + ",\"b\":" + b + "}", "1234");
  };
  expectMalformed(
      two(entry("\"U8\"", "[3]", "[0,3]"), entry("\"U8\"", "[2]", "[2,4]")),
      "tensor \"b\": the data overlaps");
  expectMalformed(
      two(entry("\"U8\"", "[4]", "[0,4]"), entry("\"U8\"", "[4]", "[0,4]")),
      "overlaps");
  expectMalformed(
      two(entry("\"U8\"", "[1]", "[0,1]"), entry("\"U8\"", "[2]", "[2,4]")),
      "bytes 1 to 2 of the data section belong to no tensor");
  expectMalformed(withEntry(entry("\"U8\"", "[3]", "[1,4]")),
                  "bytes 0 to 1 of the data section");
  // An empty tensor may sit on a border, but nowhere else.
  EXPECT_OK(parseBytes(two(entry("\"U8\"", "[4]", "[0,4]"),
                           entry("\"U8\"", "[0]", "[4,4]")))
                .status());
  EXPECT_OK(parseBytes(two(entry("\"U8\"", "[4]", "[0,4]"),
                           entry("\"U8\"", "[0]", "[0,0]")))
                .status());
  expectMalformed(
      two(entry("\"U8\"", "[4]", "[0,4]"), entry("\"U8\"", "[0]", "[2,2]")),
      "overlaps");
}

/// Touches everything that a valid file exposes.
uint64_t sumOfBytes(const SafetensorsFile &file) {
  uint64_t sum = 0;
  for (const TensorInfo &info : file.tensors()) {
    EXPECT_EQ(byteCount(info.dtype, info.shape), info.byteSize());
    EXPECT_EQ(file.find(info.name), &info);
    for (uint64_t i = 0; i < info.byteSize(); ++i)
      sum += uint64_t(file.data(info)[i]);
  }
  return sum;
}

TEST_F(SafetensorsMalformed, RandomDamage) {
  std::string valid = validFile();
  uint64_t state = 2026, numValid = 0, sum = 0;
  constexpr int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = valid;
    for (uint64_t left = 1 + flywheel_splitmix64(&state) % 4; left; --left) {
      uint64_t random = flywheel_splitmix64(&state);
      size_t at = random % bytes.size();
      switch ((random >> 32) % 4) {
      case 0: // Flip a bit.
        bytes[at] ^= char(1 << ((random >> 40) % 8));
        break;
      case 1: // Set a byte.
        bytes[at] = char(random >> 40);
        break;
      case 2: // Copy a piece somewhere else: likely still JSON.
        bytes.insert(at, bytes.substr((random >> 40) % bytes.size(), 8));
        break;
      case 3: // Cut a piece.
        bytes.erase(at, 1 + (random >> 40) % 8);
        break;
      }
      if (bytes.empty())
        break;
    }
    Result<SafetensorsFile> file = parseBytes(bytes);
    if (file.isOk()) {
      ++numValid;
      sum += sumOfBytes(*file);
    } else {
      EXPECT_ERROR(file.status(), kDataLoss, "'test.file'");
    }
  }
  // Damage to the data or to a name is not detectable, most other is.
  EXPECT_GT(numValid, 0u);
  EXPECT_LT(numValid, uint64_t(rounds) / 2);
  EXPECT_GT(sum, 0u);
}

} // namespace
