//===- Checksums.cpp - Checksums of a checkpoint --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checksums.h"

#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/JsonString.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

using namespace flywheel::runtime;

using TensorChecksums = std::map<std::string, uint32_t>;

//===----------------------------------------------------------------------===//
// CRC-32
//===----------------------------------------------------------------------===//

/// Bytes that one step of the computation takes.
constexpr size_t crcStep = 16;

/// Table i has the contribution of each byte to the remainder if i bytes follow
/// it.
using CrcTables = std::array<std::array<uint32_t, 256>, crcStep>;

static constexpr CrcTables makeCrcTables() {
  // The polynomial of ISO 3309, its lowest power in the highest bit.
  constexpr uint32_t polynomial = 0xedb88320;
  CrcTables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ (remainder & 1 ? polynomial : 0);
    tables[0][byte] = remainder;
  }
  for (size_t i = 1; i < crcStep; ++i)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t before = tables[i - 1][byte];
      tables[i][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}

static constexpr CrcTables crcTables = makeCrcTables();

uint32_t flywheel::runtime::computeCrc32(const void *data, size_t size,
                                         uint32_t previous) {
  const auto *next = static_cast<const unsigned char *>(data);
  uint32_t remainder = ~previous;
  for (; size >= crcStep; size -= crcStep, next += crcStep) {
    // The remainder so far is added to the first four bytes.
    uint32_t sum = 0;
    for (size_t i = 0; i < 4; ++i)
      sum ^=
          crcTables[crcStep - 1 - i][next[i] ^ ((remainder >> (8 * i)) & 0xff)];
    for (size_t i = 4; i < crcStep; ++i)
      sum ^= crcTables[crcStep - 1 - i][next[i]];
    remainder = sum;
  }
  for (; size; --size, ++next)
    remainder = (remainder >> 8) ^ crcTables[0][(remainder ^ *next) & 0xff];
  return ~remainder;
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

static std::string formatChecksum(uint32_t checksum) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[(checksum >> shift) & 15];
  return text;
}

static std::optional<uint32_t> parseChecksum(const nlohmann::json &value) {
  if (!value.is_string())
    return std::nullopt;
  const auto &text = value.get_ref<const std::string &>();
  uint32_t checksum = 0;
  for (char c : text) {
    bool isDigit = c >= '0' && c <= '9';
    if (!isDigit && !(c >= 'a' && c <= 'f'))
      return std::nullopt;
    checksum = checksum << 4 | uint32_t(isDigit ? c - '0' : c - 'a' + 10);
  }
  return text.size() == 8 ? std::optional(checksum) : std::nullopt;
}

/// Returns a checksum of the contents of a header, independent of its layout:
/// lines of the metadata except the checksums, by key, then of the tensors, by
/// name. Tensors are TensorView or TensorInfo.
template <typename Tensor>
static uint32_t summarizeHeader(const std::vector<Tensor> &tensors,
                                const Metadata &metadata,
                                const TensorChecksums &checksums) {
  std::string text;
  for (const auto &[key, value] : metadata)
    if (key != checksumsKey)
      text += quoteJson(key) + ":" + quoteJson(value) + "\n";
  std::vector<const Tensor *> sorted;
  for (const Tensor &tensor : tensors)
    sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(),
            [](const Tensor *a, const Tensor *b) { return a->name < b->name; });
  for (const Tensor *tensor : sorted) {
    auto found = checksums.find(tensor->name);
    text += quoteJson(tensor->name) + ":" +
            std::string(safetensorsName(tensor->dtype)) +
            formatShape(tensor->shape) +
            (found == checksums.end() ? "" : formatChecksum(found->second)) +
            "\n";
  }
  return computeCrc32(text.data(), text.size());
}

std::string
flywheel::runtime::formatChecksums(const std::vector<TensorView> &tensors,
                                   const Metadata &metadata) {
  TensorChecksums checksums;
  for (const TensorView &tensor : tensors)
    checksums[tensor.name] = computeCrc32(
        tensor.data, size_t(*byteCount(tensor.dtype, tensor.shape)));
  std::string list;
  for (const auto &[name, checksum] : checksums)
    list += (list.empty() ? "" : ",") + quoteJson(name) + ":\"" +
            formatChecksum(checksum) + "\"";
  return "{\"header\":\"" +
         formatChecksum(summarizeHeader(tensors, metadata, checksums)) +
         "\",\"tensors\":{" + list + "}}";
}

//===----------------------------------------------------------------------===//
// Checksums
//===----------------------------------------------------------------------===//

static Status isDamaged(const SafetensorsReader &file,
                        const std::string &reason) {
  return notACheckpoint(StatusCode::kDataLoss, file.path(), reason);
}

static std::string compare(uint32_t expected, uint32_t found) {
  return ": expected the CRC-32 " + formatChecksum(expected) + ", found " +
         formatChecksum(found);
}

/// Returns the key of checksums, if it is damaged itself: without a look at the
/// value, it would be one of a program's own metadata, and nothing be compared.
static const std::string *findDamagedKey(const Metadata &metadata) {
  for (const auto &[key, value] : metadata)
    if (value.rfind("{\"header\":\"", 0) == 0 &&
        value.find("\",\"tensors\":{") != std::string::npos)
      return &key;
  return nullptr;
}

Result<Checksums> Checksums::read(const SafetensorsReader &file) {
  Checksums result;
  auto text = file.metadata().find(std::string(checksumsKey));
  if (text == file.metadata().end()) {
    if (const std::string *key = findDamagedKey(file.metadata()))
      return isDamaged(file, "metadata " + quoteJson(*key) +
                                 " has checksums: expected the key " +
                                 quoteJson(checksumsKey));
    return result;
  }
  auto malformed = [&] {
    return isDamaged(file, "metadata " + quoteJson(checksumsKey) +
                               ": expected the CRC-32 of the header and of "
                               "each tensor, in 8 digits");
  };
  // JSON that is nested deeper than a checksum is malformed; do not allocate
  // memory for it.
  auto isShallow = [](int depth, nlohmann::json::parse_event_t,
                      nlohmann::json &) { return depth <= 2; };
  nlohmann::json json = nlohmann::json::parse(text->second, isShallow,
                                              /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 2 || !json.contains("header") ||
      !json.contains("tensors") || !json["tensors"].is_object())
    return malformed();
  std::optional<uint32_t> header = parseChecksum(json["header"]);
  TensorChecksums checksums;
  for (const auto &[name, value] : json["tensors"].items()) {
    std::optional<uint32_t> checksum = parseChecksum(value);
    if (!checksum)
      return malformed();
    checksums[name] = *checksum;
  }
  if (!header || checksums.size() != file.tensors().size())
    return malformed();
  for (const TensorInfo &info : file.tensors())
    if (!checksums.count(info.name))
      return malformed();
  uint32_t found = summarizeHeader(file.tensors(), file.metadata(), checksums);
  if (found != *header)
    return isDamaged(file, "its header is damaged" + compare(*header, found));
  result.tensors = std::move(checksums);
  return result;
}

Status Checksums::verify(const SafetensorsReader &file,
                         const TensorInfo &info) const {
  if (!tensors)
    return Status();
  // Small enough to be still in the cache when it is summed.
  std::vector<std::byte> chunk(
      size_t(std::min<uint64_t>(info.byteSize(), 1 << 18)));
  uint32_t found = 0;
  for (uint64_t begin = info.begin; begin < info.end; begin += chunk.size()) {
    auto size = size_t(std::min<uint64_t>(chunk.size(), info.end - begin));
    if (Status status = file.read(begin, size, chunk.data()); !status.isOk())
      return status;
    found = computeCrc32(chunk.data(), size, found);
  }
  uint32_t expected = tensors->at(info.name);
  if (found == expected)
    return Status();
  return isDamaged(file, "the data of tensor " + quoteJson(info.name) +
                             " is damaged" + compare(expected, found));
}
