//===- StringTensor.cpp - Strings in files --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/StringTensor.h"

#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/JsonString.h"

#include <new>

using namespace flywheel::runtime;

static constexpr std::string_view bytesSuffix = ":bytes";
static constexpr std::string_view lengthsSuffix = ":lengths";

StringTensor
flywheel::runtime::packStrings(const std::vector<std::string_view> &texts) {
  StringTensor tensor;
  for (std::string_view text : texts) {
    tensor.bytes += text;
    tensor.lengths.push_back(int64_t(text.size()));
  }
  return tensor;
}

/// Checks that \p lengths divide \p size bytes.
static Status checkLengths(const std::vector<int64_t> &lengths, uint64_t size) {
  for (int64_t length : lengths) {
    if (length < 0 || uint64_t(length) > size)
      return Status::dataLoss("a string of length " + std::to_string(length) +
                              " where " + std::to_string(size) +
                              " bytes are left");
    size -= uint64_t(length);
  }
  if (size)
    return Status::dataLoss(std::to_string(size) +
                            " bytes belong to no string");
  return Status();
}

Result<std::vector<std::string_view>>
flywheel::runtime::unpackStrings(const StringTensor &tensor) {
  if (Status status = checkLengths(tensor.lengths, tensor.bytes.size());
      !status.isOk())
    return status;
  std::vector<std::string_view> texts;
  std::string_view rest = tensor.bytes;
  for (int64_t length : tensor.lengths) {
    texts.push_back(rest.substr(0, size_t(length)));
    rest.remove_prefix(size_t(length));
  }
  return texts;
}

void flywheel::runtime::appendStrings(const std::string &name,
                                      const Shape &shape,
                                      const StringTensor &tensor,
                                      std::vector<TensorView> &tensors) {
  tensors.push_back({name + std::string(bytesSuffix),
                     DType::U8,
                     {int64_t(tensor.bytes.size())},
                     tensor.bytes.data()});
  tensors.push_back({name + std::string(lengthsSuffix), DType::I64, shape,
                     tensor.lengths.data()});
}

std::optional<StringTensorInfo>
flywheel::runtime::findStrings(const SafetensorsContents &file,
                               std::string_view name) {
  std::string key(name);
  const TensorInfo *bytes = file.find(key + std::string(bytesSuffix));
  const TensorInfo *lengths = file.find(key + std::string(lengthsSuffix));
  if (!bytes || bytes->dtype != DType::U8 || bytes->shape.size() != 1 ||
      !lengths || lengths->dtype != DType::I64)
    return std::nullopt;
  return StringTensorInfo{bytes, lengths};
}

/// Returns true if \p size bytes can be allocated now.
static bool hasMemory(uint64_t size) {
  // A call: compilers may leave a new expression out.
  void *bytes = ::operator new(size, std::nothrow);
  ::operator delete(bytes);
  return bytes != nullptr;
}

Result<StringTensor>
flywheel::runtime::readStringTensor(const SafetensorsReader &file,
                                    std::string_view name) {
  StringTensorInfo info = *findStrings(file, name);
  uint64_t numBytes = info.bytes->byteSize();
  // A file can be larger than memory, and containers do not say so.
  if (!hasMemory(info.lengths->byteSize()) || !hasMemory(numBytes))
    return Status::resourceExhausted(
        "no memory for the " +
        std::to_string(numBytes + info.lengths->byteSize()) + " bytes of " +
        displayName(std::string(name)) + " of '" + file.path() + "'");
  StringTensor tensor;
  tensor.lengths.resize(size_t(*elementCount(info.lengths->shape)));
  Status status = file.read(info.lengths->begin, info.lengths->byteSize(),
                            tensor.lengths.data());
  if (!status.isOk())
    return status;
  // The bytes of a file that is damaged are not worth reading.
  if (status = checkLengths(tensor.lengths, numBytes); !status.isOk())
    return notACheckpoint(StatusCode::kDataLoss, file.path(),
                          displayName(std::string(name)) + " has " +
                              status.message());
  tensor.bytes.resize(size_t(numBytes));
  if (status = file.read(info.bytes->begin, numBytes, tensor.bytes.data());
      !status.isOk())
    return status;
  return tensor;
}

std::optional<std::string_view>
flywheel::runtime::getStringsName(const SafetensorsContents &file,
                                  const TensorInfo &info) {
  std::string_view name = info.name;
  for (std::string_view suffix : {bytesSuffix, lengthsSuffix}) {
    if (name.size() < suffix.size() ||
        name.substr(name.size() - suffix.size()) != suffix)
      continue;
    std::string_view stem = name.substr(0, name.size() - suffix.size());
    if (findStrings(file, stem))
      return stem;
  }
  return std::nullopt;
}
