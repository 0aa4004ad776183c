//===- Feeds.cpp - Arrays that the command line describes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feeds.h"
#include "Lists.h"

#include "flywheel/Runtime/Shuffle.h"
#include "flywheel/Session/Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>
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

/// Reads `32x64`.
static Result<Shape> parseShape(StringRef text) {
  Shape shape;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t dimSize;
    if (part.getAsInteger(10, dimSize) || dimSize < 0)
      return Status::invalidArgument("expected a shape such as 32x64, found '" +
                                     text.str() + "'");
    shape.push_back(dimSize);
  }
  return shape;
}

static Shape getShape(const ArgumentSpec &spec, int64_t unknownDimSize) {
  Shape shape;
  for (int64_t dimSize : spec.dimSizes)
    shape.push_back(dimSize < 0 ? unknownDimSize : dimSize);
  return shape;
}

/// Returns a seed for the numbers of an array: FNV-1a of its name, mixed with
/// `seed`.
static uint64_t getStream(StringRef name, uint64_t seed) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (unsigned char c : name)
    hash = (hash ^ c) * UINT64_C(0x100000001b3);
  uint64_t state = hash ^ seed;
  return flywheel_splitmix64(&state);
}

/// Returns the error for an element in the text of a list that cannot be
/// stored.
static Status makeElementError(const ArgumentSpec &spec, StringRef text) {
  return Status::invalidArgument("'" + spec.name + "' of dtype " +
                                 std::string(runtime::numpyName(spec.dtype)) +
                                 " cannot hold " + text.str());
}

/// Fills an array by calling `next` for each element.
static Status fill(OwnedArray &array, const ArgumentSpec &spec,
                   llvm::function_ref<double()> next) {
  uint64_t count = *runtime::elementCount(array.shape);
  size_t size = runtime::dtypeSize(array.dtype);
  for (uint64_t i = 0; i < count; ++i) {
    double value = next();
    if (!storeNumber(array.dtype, value, array.buffer.data() + i * size))
      return makeElementError(spec, runtime::formatElement(DType::F64, &value));
  }
  return {};
}

/// Stores the value of `text` as one element; returns false if `dtype` does not
/// have it.
static bool storeText(DType dtype, StringRef text, void *out) {
  int64_t integer;
  uint64_t large;
  // A double cannot represent all 64-bit integers. For a floating-point type an
  // integer is a number like any other, which is rounded.
  bool isInteger = !runtime::isFloatingPoint(dtype);
  if (isInteger && !text.getAsInteger(10, integer))
    return storeInteger(dtype, integer, out);
  if (isInteger && !text.getAsInteger(10, large))
    return storeInteger(dtype, large, out);
  if (dtype == DType::Bool && (text == "true" || text == "false"))
    return storeInteger(dtype, int64_t(text == "true"), out);
  double number;
  if (text.getAsDouble(number))
    return false;
  // A number that is too large for any type is read as infinity, which it is
  // not.
  if (std::isinf(number) && !text.contains_insensitive("inf"))
    return false;
  return storeNumber(dtype, number, out);
}

/// Creates the array of a list of numbers.
static Result<OwnedArray> makeListArray(const ArgumentSpec &spec,
                                        StringRef text) {
  Result<NumberList> list = parseList(text);
  if (!list.isOk())
    return Status::invalidArgument("cannot make a value of '" + spec.name +
                                   "' from '" + text.str() +
                                   "': " + list.status().message());
  OwnedArray array;
  if (Status status = array.allocate(spec.dtype, list->shape); !status.isOk())
    return status;
  size_t size = runtime::dtypeSize(spec.dtype);
  for (auto [index, element] : llvm::enumerate(list->elements))
    if (!storeText(spec.dtype, element, array.buffer.data() + index * size))
      return makeElementError(spec, element);
  return array;
}

/// Fills an array with equal elements.
static Status fillEqual(OwnedArray &array, const ArgumentSpec &spec,
                        StringRef text) {
  uint64_t count = *runtime::elementCount(array.shape);
  size_t size = runtime::dtypeSize(array.dtype);
  uint64_t element;
  if (!storeText(array.dtype, text, &element))
    return makeElementError(spec, text);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(array.buffer.data() + i * size, &element, size);
  return {};
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

/// Creates an array of equal strings, which the buffer holds too.
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
                             int64_t unknownDimSize, uint64_t seed) {
  if (spec.dtype == DType::String)
    return makeStrings(getShape(spec, unknownDimSize), text);
  if (isList(text))
    return makeListArray(spec, text);
  auto [kind, rest] = StringRef(text).split(':');
  auto [shapeText, boundText] = rest.split(':');
  double number;
  bool isTruth =
      spec.dtype == DType::Bool && (kind == "true" || kind == "false");
  bool isNumber =
      kind == "zeros" || kind == "ones" || isTruth || !kind.getAsDouble(number);
  bool isRandom = kind == "random";
  if (!isNumber && !isRandom) {
    auto [path, column] = StringRef(text).rsplit(':');
    if (path.size() == text.size() || path.empty() || column.empty())
      return Status::invalidArgument("cannot make a value of '" + spec.name +
                                     "' from '" + text +
                                     "': expected FILE:COLUMN, zeros, ones, "
                                     "random, a number or a list, see "
                                     "--help");
    return readColumn(spec, path.str(), column.str());
  }
  if (isNumber && !boundText.empty())
    return Status::invalidArgument("unexpected ':" + boundText.str() +
                                   "' in the value of '" + spec.name + "'");
  Shape shape = getShape(spec, unknownDimSize);
  if (!shapeText.empty()) {
    Result<Shape> given = parseShape(shapeText);
    if (!given.isOk())
      return given.status();
    shape = *given;
  }
  OwnedArray array;
  Status status = array.allocate(spec.dtype, shape);
  StringRef element = kind == "zeros" ? "0" : kind == "ones" ? "1" : kind;
  if (status.isOk())
    status = isRandom ? fillRandom(array, spec, boundText, seed)
                      : fillEqual(array, spec, element);
  if (!status.isOk())
    return status;
  return array;
}

} // namespace flywheel::run
