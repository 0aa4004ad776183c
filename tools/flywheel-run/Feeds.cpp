//===- Feeds.cpp - Arrays that the command line describes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feeds.h"
#include "flywheel/Runtime/HalfFloat.h"
#include "flywheel/Runtime/Shuffle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::SafetensorsFile;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;
using llvm::StringRef;

namespace flywheel::run {

Result<ValueTexts> parseValueTexts(StringRef option,
                                   llvm::ArrayRef<std::string> arguments) {
  ValueTexts texts;
  for (const std::string &argument : arguments) {
    auto [name, value] = StringRef(argument).split('=');
    if (name.size() == argument.size() || name.empty() || value.empty())
      return Status::invalidArgument("expected " + option.str() +
                                     " NAME=VALUE, found '" + argument + "'");
    if (!texts.emplace(name.str(), value.str()).second)
      return Status::invalidArgument(option.str() + " gives '" + name.str() +
                                     "' twice");
  }
  return texts;
}

Status makeUnusedError(const ValueTexts &unused) {
  return Status::invalidArgument("no entry that is used has a placeholder '" +
                                 unused.begin()->first + "'");
}

/// Stores `value` as an integer of type T; false where it is none.
template <typename T> static bool storeInteger(double value, void *out) {
  // The upper bound, a power of two, is a double; the largest T may not be.
  if (value != std::floor(value) ||
      value < static_cast<double>(std::numeric_limits<T>::min()) ||
      value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return false;
  T converted = static_cast<T>(value);
  std::memcpy(out, &converted, sizeof(T));
  return true;
}

/// Stores `value`, rounded where `dtype` is a floating-point type; false where
/// an integer type does not have it.
static bool storeNumber(DType dtype, double value, void *out) {
  uint16_t bits;
  float single = static_cast<float>(value);
  // A finite number is not to become an infinite one.
  auto keepsFinite = [&](float stored) {
    return std::isfinite(stored) || !std::isfinite(value);
  };
  switch (dtype) {
  case DType::Bool:
    return (value == 0.0 || value == 1.0) && storeInteger<uint8_t>(value, out);
  case DType::I8:
    return storeInteger<int8_t>(value, out);
  case DType::I16:
    return storeInteger<int16_t>(value, out);
  case DType::I32:
    return storeInteger<int32_t>(value, out);
  case DType::I64:
    return storeInteger<int64_t>(value, out);
  case DType::U8:
    return storeInteger<uint8_t>(value, out);
  case DType::U16:
    return storeInteger<uint16_t>(value, out);
  case DType::U32:
    return storeInteger<uint32_t>(value, out);
  case DType::U64:
    return storeInteger<uint64_t>(value, out);
  case DType::F16:
    bits = runtime::floatToHalf(single);
    std::memcpy(out, &bits, sizeof(bits));
    return keepsFinite(runtime::halfToFloat(bits));
  case DType::BF16:
    bits = runtime::floatToBFloat16(single);
    std::memcpy(out, &bits, sizeof(bits));
    return keepsFinite(runtime::bfloat16ToFloat(bits));
  case DType::F32:
    std::memcpy(out, &single, sizeof(single));
    return keepsFinite(single);
  case DType::F64:
    std::memcpy(out, &value, sizeof(value));
    return true;
  case DType::String:
    return false;
  }
  return false;
}

/// Reads `32x64`.
static Result<Shape> parseShape(StringRef text) {
  Shape shape;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return Status::invalidArgument("expected a shape such as 32x64, found '" +
                                     text.str() + "'");
    shape.push_back(extent);
  }
  return shape;
}

static Shape getShape(const ArgumentSpec &spec, int64_t unknownExtent) {
  Shape shape;
  for (int64_t extent : spec.extents)
    shape.push_back(extent < 0 ? unknownExtent : extent);
  return shape;
}

/// A seed for the numbers of an array: FNV-1a of its name, mixed with `seed`.
static uint64_t getStream(StringRef name, uint64_t seed) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (unsigned char c : name)
    hash = (hash ^ c) * UINT64_C(0x100000001b3);
  uint64_t state = hash ^ seed;
  return flywheel_splitmix64(&state);
}

/// Fills an array by calling `next` for each element.
static Status fill(OwnedArray &array, const ArgumentSpec &spec,
                   llvm::function_ref<double()> next) {
  uint64_t count = *runtime::elementCount(array.shape);
  size_t size = runtime::dtypeSize(array.dtype);
  for (uint64_t i = 0; i < count; ++i) {
    double value = next();
    if (!storeNumber(array.dtype, value, array.buffer.data() + i * size))
      return Status::invalidArgument(
          "'" + spec.name + "' of dtype " +
          std::string(runtime::numpyName(array.dtype)) + " cannot hold " +
          runtime::formatElement(DType::F64, &value));
  }
  return {};
}

/// Fills an array of 64-bit integers, which a double cannot count. Returns
/// whether `text` is such an integer.
static bool fillWide(OwnedArray &array, StringRef text) {
  int64_t number = 0;
  uint64_t unsignedNumber = 0;
  if (array.dtype == DType::I64 && !text.getAsInteger(10, number))
    unsignedNumber = static_cast<uint64_t>(number);
  else if (array.dtype != DType::U64 || text.getAsInteger(10, unsignedNumber))
    return false;
  uint64_t count = *runtime::elementCount(array.shape);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(array.buffer.data() + i * sizeof(unsignedNumber),
                &unsignedNumber, sizeof(unsignedNumber));
  return true;
}

static Status fillRandom(OwnedArray &array, const ArgumentSpec &spec,
                         StringRef boundText, uint64_t seed) {
  bool isFloat = runtime::isFloatingPoint(array.dtype);
  double bound = isFloat ? 1.0 : 2.0;
  if (!boundText.empty() && (boundText.getAsDouble(bound) || !(bound > 0.0)))
    return Status::invalidArgument(
        "expected a positive bound of random numbers, found '" +
        boundText.str() + "'");
  uint64_t state = getStream(spec.name, seed);
  return fill(array, spec, [&] {
    // 53 bits: a double in [0, 1).
    double unit = std::ldexp(double(flywheel_splitmix64(&state) >> 11), -53);
    return isFloat ? unit * bound : std::floor(unit * bound);
  });
}

/// Reads a whole column.
static Result<OwnedArray> readColumn(const ArgumentSpec &spec,
                                     const std::string &path,
                                     const std::string &column) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.isOk())
    return file.status();
  const runtime::TensorInfo *info = file->find(column);
  if (!info) {
    std::string names;
    for (const runtime::TensorInfo &tensor : file->tensors())
      names += (names.empty() ? "" : ", ") + tensor.name;
    return Status::notFound("'" + path + "' has no column '" + column +
                            "'; its columns are: " + names);
  }
  OwnedArray array;
  if (Status status = array.allocate(spec.dtype, info->shape); !status.isOk())
    return status;
  if (info->dtype == spec.dtype) {
    if (info->byteSize() > 0)
      std::memcpy(array.buffer.data(), file->data(*info), info->byteSize());
    return array;
  }
  Result<runtime::Dataset> data = runtime::Dataset::load(path, {column});
  if (!data.isOk())
    return data.status();
  Result<runtime::ColumnFeed> bound = data->bind(column, spec.dtype);
  if (!bound.isOk())
    return bound.status();
  std::vector<uint64_t> rows(data->numRows());
  std::iota(rows.begin(), rows.end(), 0);
  if (Status status =
          bound->gather(rows.data(), rows.size(), array.buffer.data());
      !status.isOk())
    return status;
  return array;
}

/// An array of equal strings, which the buffer holds too.
static Result<OwnedArray> makeStrings(const Shape &shape, StringRef text) {
  OwnedArray array;
  if (Status status = array.allocate(DType::String, shape); !status.isOk())
    return status;
  size_t count = *runtime::elementCount(shape);
  size_t viewBytes = count * sizeof(std::string_view);
  if (!array.buffer.reserve(viewBytes + text.size()))
    return Status::resourceExhausted("no memory for strings");
  char *copy = reinterpret_cast<char *>(array.buffer.data() + viewBytes);
  llvm::copy(text, copy);
  std::string_view view(copy, text.size());
  for (size_t i = 0; i < count; ++i)
    std::memcpy(array.buffer.data() + i * sizeof(view), &view, sizeof(view));
  return array;
}

Result<OwnedArray> makeArray(const ArgumentSpec &spec, const std::string &text,
                             int64_t unknownExtent, uint64_t seed) {
  if (spec.dtype == DType::String)
    return makeStrings(getShape(spec, unknownExtent), text);
  auto [kind, rest] = StringRef(text).split(':');
  auto [shapeText, boundText] = rest.split(':');
  double number = kind == "ones" ? 1.0 : 0.0;
  bool isNumber =
      kind == "zeros" || kind == "ones" || !kind.getAsDouble(number);
  bool isRandom = kind == "random";
  if (!isNumber && !isRandom) {
    auto [path, column] = StringRef(text).rsplit(':');
    if (path.size() == text.size() || path.empty() || column.empty())
      return Status::invalidArgument(
          "cannot make a value of '" + spec.name + "' from '" + text +
          "': expected FILE:COLUMN, zeros, ones, random or a number, see "
          "--help");
    return readColumn(spec, path.str(), column.str());
  }
  if (isNumber && !boundText.empty())
    return Status::invalidArgument("unexpected ':" + boundText.str() +
                                   "' in the value of '" + spec.name + "'");
  Shape shape = getShape(spec, unknownExtent);
  if (!shapeText.empty()) {
    Result<Shape> given = parseShape(shapeText);
    if (!given.isOk())
      return given.status();
    shape = *given;
  }
  OwnedArray array;
  Status status = array.allocate(spec.dtype, shape);
  if (status.isOk() && !fillWide(array, kind))
    status = isRandom ? fillRandom(array, spec, boundText, seed)
                      : fill(array, spec, [&] { return number; });
  if (!status.isOk())
    return status;
  return array;
}

} // namespace flywheel::run
