//===- SafetensorsHeader.cpp - The JSON header ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A streaming parser with the schema built in. A document tree would silently
// merge duplicate keys, and could be made to need far more memory than the
// file.
//
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include "flywheel/Runtime/JsonString.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>

using namespace flywheel::runtime;

namespace {
/// Follows the tokens of a header through the schema. Each callback returns
/// false to stop the parse, after `reason` was set.
class HeaderHandler {
public:
  using Json = nlohmann::json;

  SafetensorsHeader header;
  /// The reason for which parsing stopped.
  std::string reason;

  // The names are those that the parser calls.
  // NOLINTBEGIN(readability-identifier-naming)
  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(Json::number_integer_t) {
    return unexpected("a negative number");
  }
  bool number_float(Json::number_float_t, const std::string &) {
    return unexpected("a number that is not a 64-bit integer");
  }
  bool binary(Json::binary_t &) { return unexpected("binary data"); }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (state == State::Shape) {
      if (value > uint64_t(std::numeric_limits<int64_t>::max()))
        return unexpected("a number above 2^63-1");
      if (tensor.shape.size() == maxRank)
        return fail(tensorText() + ": the rank is above " +
                    std::to_string(maxRank));
      tensor.shape.push_back(int64_t(value));
      return true;
    }
    if (state == State::Offsets) {
      if (numOffsets == 2)
        return unexpected("a third number");
      (numOffsets++ == 0 ? tensor.begin : tensor.end) = value;
      return true;
    }
    return unexpected("a number");
  }

  bool string(std::string &value) {
    if (state == State::Metadata) {
      header.metadata[field] = std::move(value);
      return true;
    }
    if (state != State::Tensor || field != "dtype")
      return unexpected("a string");
    std::optional<DType> dtype = dtypeFromSafetensorsName(value);
    if (!dtype)
      return fail(tensorText() + ": unsupported dtype " + quoteJson(value));
    tensor.dtype = *dtype;
    return true;
  }

  bool start_object(size_t) {
    if (state == State::Top) {
      state = State::Header;
      return true;
    }
    if (state != State::Header)
      return unexpected("an object");
    fieldsSeen.clear();
    if (tensor.name == metadataKey) {
      state = State::Metadata;
      return true;
    }
    tensor = TensorInfo{std::move(tensor.name), DType::F32, {}, 0, 0};
    state = State::Tensor;
    return true;
  }

  bool key(std::string &name) {
    if (state == State::Header) {
      if (!names.insert(name).second)
        return fail("duplicate name " + quoteJson(name));
      tensor.name = std::move(name);
      return true;
    }
    std::string where =
        state == State::Metadata ? "the metadata" : tensorText();
    if (state == State::Tensor && name != "dtype" && name != "shape" &&
        name != "data_offsets")
      return fail(where + ": unknown field " + quoteJson(name));
    if (!fieldsSeen.insert(name).second)
      return fail(where + ": duplicate field " + quoteJson(name));
    field = std::move(name);
    return true;
  }

  bool end_object() {
    if (state == State::Tensor) {
      for (const char *required : {"dtype", "shape", "data_offsets"})
        if (!fieldsSeen.count(required))
          return fail(tensorText() + ": no \"" + required + "\"");
      header.tensors.push_back(tensor);
    }
    state = state == State::Header ? State::Done : State::Header;
    return true;
  }

  bool start_array(size_t) {
    if (state == State::Tensor && field == "shape")
      state = State::Shape;
    else if (state == State::Tensor && field == "data_offsets")
      state = State::Offsets;
    else
      return unexpected("an array");
    numOffsets = 0;
    return true;
  }

  bool end_array() {
    if (state == State::Offsets && numOffsets != 2)
      return fail(tensorText() + ": \"data_offsets\" must be two numbers");
    state = State::Tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) {
    return fail("the header is not valid JSON, at its byte " +
                std::to_string(position));
  }
  // NOLINTEND(readability-identifier-naming)

private:
  enum class State { Top, Header, Metadata, Tensor, Shape, Offsets, Done };

  bool fail(std::string text) {
    reason = std::move(text);
    return false;
  }

  std::string tensorText() const { return "tensor " + quoteJson(tensor.name); }

  /// Sets the error that \p found was found instead of what the state expects.
  /// Returns false.
  bool unexpected(const char *found) {
    std::string where, expected;
    switch (state) {
    case State::Top:
    case State::Done:
      where = "the header";
      expected = "one object";
      break;
    case State::Header:
      where = quoteJson(tensor.name);
      expected = "an object";
      break;
    case State::Metadata:
      where = "metadata " + quoteJson(field);
      expected = "a string";
      break;
    case State::Tensor:
      where = tensorText() + ": \"" + field + "\"";
      expected = field == "dtype"   ? "a string"
                 : field == "shape" ? "an array of dimension sizes"
                                    : "an array of two offsets";
      break;
    case State::Shape:
    case State::Offsets:
      where = tensorText() + ": \"" + field + "\"";
      expected = "non-negative 64-bit integers";
      if (state == State::Offsets)
        expected = "two " + expected;
      break;
    }
    return fail(where + " must be " + expected + ", found " + found);
  }

  State state = State::Top;
  /// The entry being read; its name is also the current key of the header.
  TensorInfo tensor;
  int numOffsets = 0;
  std::string field;
  std::unordered_set<std::string> fieldsSeen;
  std::unordered_set<std::string> names;
};
} // namespace

/// Checks that each tensor's bytes fit its shape, and that \p tensors, sorted
/// by offset, tile the data section. \returns the error, or an empty string.
static std::string checkLayout(const std::vector<TensorInfo> &tensors,
                               uint64_t dataSize) {
  uint64_t position = 0;
  for (const TensorInfo &info : tensors) {
    std::string who = "tensor " + quoteJson(info.name);
    std::string range =
        "[" + std::to_string(info.begin) + "," + std::to_string(info.end) + ")";
    if (info.begin > info.end)
      return who + ": the data offsets " + range + " are reversed";
    if (info.end > dataSize)
      return who + ": the data offsets " + range +
             " leave the data section of " + std::to_string(dataSize) +
             " bytes";
    std::optional<uint64_t> size = byteCount(info.dtype, info.shape);
    if (!size)
      return who + ": the size of shape " + formatShape(info.shape) +
             " overflows";
    if (*size != info.byteSize())
      return who + ": shape " + formatShape(info.shape) + " of " +
             std::string(safetensorsName(info.dtype)) + " needs " +
             std::to_string(*size) + " bytes, the data offsets give " +
             std::to_string(info.byteSize());
    if (info.begin < position)
      return who + ": the data overlaps another tensor's";
    if (info.begin > position)
      return "bytes " + std::to_string(position) + " to " +
             std::to_string(info.begin) +
             " of the data section belong to no tensor";
    position = info.end;
  }
  if (position != dataSize)
    return "the last " + std::to_string(dataSize - position) +
           " bytes of the data section belong to no tensor";
  return "";
}

Status flywheel::runtime::malformedFile(const std::string &source,
                                        const std::string &reason) {
  return Status::dataLoss("'" + source +
                          "' is not a valid safetensors file: " + reason);
}

Result<uint64_t>
flywheel::runtime::decodeHeaderLength(const unsigned char *prefix,
                                      uint64_t available, uint64_t fileSize,
                                      const std::string &source) {
  if (available < headerPrefixBytes)
    return malformedFile(source,
                         "it has only " + std::to_string(available) + " bytes");
  uint64_t length = 0;
  for (unsigned i = 0; i < headerPrefixBytes; ++i)
    length |= uint64_t(prefix[i]) << (8 * i);
  if (length > maxHeaderBytes)
    return malformedFile(source, "a header of " + std::to_string(length) +
                                     " bytes is larger than the limit of " +
                                     std::to_string(maxHeaderBytes));
  if (length > fileSize - headerPrefixBytes)
    return malformedFile(source, "a header of " + std::to_string(length) +
                                     " bytes does not fit the file's " +
                                     std::to_string(fileSize));
  return length;
}

Result<SafetensorsHeader>
flywheel::runtime::parseHeader(std::string_view json, uint64_t dataSize,
                               const std::string &source) {
  // The parser would skip leading space and stop at a null byte.
  if (json.empty() || json.front() != '{')
    return malformedFile(source, "the header does not begin with '{'");
  if (json.find('\0') != std::string_view::npos)
    return malformedFile(source, "the header has a null byte");
  HeaderHandler handler;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &handler))
    return malformedFile(source, handler.reason);
  std::vector<TensorInfo> &tensors = handler.header.tensors;
  // Empty tensors share a position with their successor: they come first.
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorInfo &a, const TensorInfo &b) {
              return std::tie(a.begin, a.end, a.name) <
                     std::tie(b.begin, b.end, b.name);
            });
  if (std::string reason = checkLayout(tensors, dataSize); !reason.empty())
    return malformedFile(source, reason);
  return std::move(handler.header);
}
