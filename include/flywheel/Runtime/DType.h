//===- DType.h - Element types and shapes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_DTYPE_H
#define FLYWHEEL_RUNTIME_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flywheel::runtime {

/// The type of one element. Elements are little-endian in files; a Bool is one
/// byte holding 0 or 1. A String is a std::string_view in the arrays that
/// callers pass, the number of a StringTable (an int64_t) in a program's
/// variables, and not a dtype of files: see StringTensor.h.
enum class DType : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  String,
};

/// The number of enumerators of DType for elements of files: all but String.
/// They are numbered from 0.
inline constexpr unsigned numDTypes = 13;

/// Bytes of one element of an array: 1, 2, 4 or 8, and more for a String.
size_t dtypeSize(DType dtype);

/// The name in a safetensors header: "BOOL", "I8", ..., "BF16", "F32", "F64";
/// empty for String.
std::string_view safetensorsName(DType dtype);

/// The name numpy uses (ml_dtypes for bfloat16): "bool", "int8", ...,
/// "bfloat16", "float32", "float64"; and "string".
std::string_view numpyName(DType dtype);

/// Inverse of safetensorsName(); nothing for an unknown name.
std::optional<DType> dtypeFromSafetensorsName(std::string_view name);

/// Inverse of numpyName(); nothing for an unknown name.
std::optional<DType> dtypeFromNumpyName(std::string_view name);

/// True for F16, BF16, F32 and F64.
bool isFloatingPoint(DType dtype);

/// The dimension sizes of a tensor, slowest first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// The largest rank that files and checkpoints may have (numpy's limit).
inline constexpr size_t maxRank = 64;

/// The number of elements of \p shape; nothing when a dimension size is
/// negative or when the product of the non-zero dimension sizes does not fit an
/// int64_t.
std::optional<uint64_t> elementCount(const Shape &shape);

/// Returns the size in bytes of a dense tensor; nullopt if elementCount()
/// returns nullopt or if the byte count does not fit an int64_t.
std::optional<uint64_t> byteCount(DType dtype, const Shape &shape);

/// "[64,10]"; "[]" for a scalar.
std::string formatShape(const Shape &shape);

/// The element at \p data (which need not be aligned) as text. Floating-point
/// numbers are the shortest decimals that read back to the same value; F16 and
/// BF16 are read back as doubles. Booleans are "true" and "false". Strings are
/// quoted.
std::string formatElement(DType dtype, const void *data);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_DTYPE_H
