//===- DType.cpp - Element types and shapes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/DType.h"

#include "ElementTypes.h"
#include "flywheel/Runtime/JsonString.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace flywheel::runtime;

namespace {
struct DTypeRow {
  size_t size;
  std::string_view safetensors;
  std::string_view numpy;
  bool isFloat;
};

/// In the order of the enumerators of DType.
constexpr DTypeRow dtypeTable[numDTypes + 1] = {
    {1, "BOOL", "bool", false},
    {1, "I8", "int8", false},
    {2, "I16", "int16", false},
    {4, "I32", "int32", false},
    {8, "I64", "int64", false},
    {1, "U8", "uint8", false},
    {2, "U16", "uint16", false},
    {4, "U32", "uint32", false},
    {8, "U64", "uint64", false},
    {2, "F16", "float16", true},
    {2, "BF16", "bfloat16", true},
    {4, "F32", "float32", true},
    {8, "F64", "float64", true},
    {sizeof(std::string_view), "", "string", false},
};
} // namespace

static const DTypeRow &row(DType dtype) { return dtypeTable[unsigned(dtype)]; }

size_t flywheel::runtime::dtypeSize(DType dtype) { return row(dtype).size; }

std::string_view flywheel::runtime::safetensorsName(DType dtype) {
  return row(dtype).safetensors;
}

std::string_view flywheel::runtime::numpyName(DType dtype) {
  return row(dtype).numpy;
}

std::optional<DType>
flywheel::runtime::dtypeFromSafetensorsName(std::string_view name) {
  for (unsigned i = 0; i < numDTypes; ++i)
    if (dtypeTable[i].safetensors == name)
      return DType(i);
  return std::nullopt;
}

std::optional<DType>
flywheel::runtime::dtypeFromNumpyName(std::string_view name) {
  for (unsigned i = 0; i <= numDTypes; ++i)
    if (dtypeTable[i].numpy == name)
      return DType(i);
  return std::nullopt;
}

bool flywheel::runtime::isFloatingPoint(DType dtype) {
  return row(dtype).isFloat;
}

std::optional<uint64_t> flywheel::runtime::elementCount(const Shape &shape) {
  constexpr int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t product = 1;
  bool isEmpty = false;
  for (int64_t dimSize : shape) {
    if (dimSize < 0)
      return std::nullopt;
    if (dimSize == 0) {
      isEmpty = true;
      continue;
    }
    if (product > limit / dimSize)
      return std::nullopt;
    product *= dimSize;
  }
  return isEmpty ? 0 : uint64_t(product);
}

std::optional<uint64_t> flywheel::runtime::byteCount(DType dtype,
                                                     const Shape &shape) {
  std::optional<uint64_t> count = elementCount(shape);
  uint64_t limit = std::numeric_limits<int64_t>::max();
  if (!count || *count > limit / dtypeSize(dtype))
    return std::nullopt;
  return *count * dtypeSize(dtype);
}

std::string flywheel::runtime::formatShape(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i)
      text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string flywheel::runtime::formatElement(DType dtype, const void *data) {
  if (dtype == DType::String) {
    std::string_view text;
    std::memcpy(static_cast<void *>(&text), data, sizeof(text));
    return quoteBytes(text);
  }
  return dispatchDType(dtype, [&](auto element) -> std::string {
    using E = decltype(element);
    if constexpr (E::dtype == DType::Bool) {
      return E::load(data) ? "true" : "false";
    } else {
      // A half has a short exact decimal only when printed as a double.
      using Printed =
          std::conditional_t<E::isFloat && sizeof(typename E::Storage) == 2,
                             double, typename E::Value>;
      Printed value = E::load(data);
      // Its sign means nothing, and differs between machines.
      if constexpr (E::isFloat)
        if (std::isnan(value))
          return "nan";
      // The longest is an F64 such as -2.2250738585072014e-308.
      char text[40];
      std::to_chars_result end =
          std::to_chars(text, text + sizeof(text), value);
      return std::string(text, end.ptr);
    }
  });
}
