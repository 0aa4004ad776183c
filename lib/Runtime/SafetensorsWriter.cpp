//===- SafetensorsWriter.cpp - Write safetensors files --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/JsonString.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

using namespace flywheel::runtime;

/// Checks that \p tensor can be an entry of a file.
static Status checkTensor(const TensorView &tensor) {
  std::string who = "can't save tensor " + quoteJson(tensor.name) + ": ";
  if (!isValidUtf8(tensor.name))
    return Status::invalidArgument(who + "its name is not valid UTF-8");
  if (tensor.name == metadataKey)
    return Status::invalidArgument(who + "its name is reserved");
  if (tensor.shape.size() > maxRank)
    return Status::invalidArgument(who + "its rank is above " +
                                   std::to_string(maxRank));
  std::optional<uint64_t> size = byteCount(tensor.dtype, tensor.shape);
  if (!size)
    return Status::invalidArgument(who + "its shape " +
                                   formatShape(tensor.shape) +
                                   " is negative or its size overflows");
  if (*size && !tensor.data)
    return Status::invalidArgument(who + "its data is null");
  return Status();
}

Status flywheel::runtime::checkWritable(const std::vector<TensorView> &tensors,
                                        const Metadata &metadata) {
  std::unordered_set<std::string_view> names;
  uint64_t total = 0;
  for (const TensorView &tensor : tensors) {
    if (Status status = checkTensor(tensor); !status.isOk())
      return status;
    if (!names.insert(tensor.name).second)
      return Status::invalidArgument(
          "can't save tensor " + quoteJson(tensor.name) + ": duplicate key");
    uint64_t size = *byteCount(tensor.dtype, tensor.shape);
    if (size > uint64_t(std::numeric_limits<int64_t>::max()) - total)
      return Status::invalidArgument("can't save: the total size overflows");
    total += size;
  }
  for (const auto &[key, value] : metadata)
    if (!isValidUtf8(key) || !isValidUtf8(value))
      return Status::invalidArgument("can't save metadata " + quoteJson(key) +
                                     ": not valid UTF-8");
  return Status();
}

/// Builds the JSON of a file that holds \p tensors one after the other, padded
/// so that the data section begins at a multiple of 8.
static std::string buildHeader(const std::vector<const TensorView *> &tensors,
                               const Metadata &metadata) {
  std::string json = "{";
  if (!metadata.empty()) {
    json += quoteJson(metadataKey) + ":{";
    for (const auto &[key, value] : metadata)
      json += quoteJson(key) + ":" + quoteJson(value) + ",";
    json.back() = '}';
    json += ',';
  }
  uint64_t position = 0;
  for (const TensorView *tensor : tensors) {
    uint64_t end = position + *byteCount(tensor->dtype, tensor->shape);
    json += quoteJson(tensor->name) + ":{\"dtype\":\"" +
            std::string(safetensorsName(tensor->dtype)) +
            "\",\"shape\":" + formatShape(tensor->shape) +
            ",\"data_offsets\":[" + std::to_string(position) + "," +
            std::to_string(end) + "]},";
    position = end;
  }
  if (json.back() == ',')
    json.pop_back();
  json += '}';
  json.resize((json.size() + 7) / 8 * 8, ' ');
  return json;
}

Status
flywheel::runtime::writeSafetensors(const std::string &path,
                                    const std::vector<TensorView> &tensors,
                                    const Metadata &metadata) {
  if (Status status = checkWritable(tensors, metadata); !status.isOk())
    return status;
  std::vector<const TensorView *> sorted;
  for (const TensorView &tensor : tensors)
    sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(),
            [](const TensorView *a, const TensorView *b) {
              size_t sizeA = dtypeSize(a->dtype), sizeB = dtypeSize(b->dtype);
              return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
            });

  std::string json = buildHeader(sorted, metadata);
  if (json.size() > maxHeaderBytes)
    return Status::invalidArgument("can't save '" + path + "': the header's " +
                                   std::to_string(json.size()) +
                                   " bytes are above the limit of " +
                                   std::to_string(maxHeaderBytes));
  unsigned char prefix[headerPrefixBytes];
  for (unsigned i = 0; i < headerPrefixBytes; ++i)
    prefix[i] = (uint64_t(json.size()) >> (8 * i)) & 0xff;

  std::vector<ByteSpan> parts = {{prefix, sizeof(prefix)},
                                 {json.data(), json.size()}};
  for (const TensorView *tensor : sorted)
    parts.push_back(
        {tensor->data, size_t(*byteCount(tensor->dtype, tensor->shape))});
  return writeFileAtomically(path, parts);
}
