//===- Checkpoint.cpp - Save and restore variables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checkpoint.h"

#include "Convert.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/Checksums.h"
#include "flywheel/Runtime/JsonString.h"

#include <algorithm>
#include <utility>

using namespace flywheel::runtime;

/// Returns true if no byte is a Bool other than 0 or 1, which no program may
/// see.
static bool hasValidElements(DType dtype, const void *data, uint64_t bytes) {
  return dtype != DType::Bool ||
         findInexact(DType::Bool, DType::Bool,
                     static_cast<const std::byte *>(data), bytes) == bytes;
}

static Status checkVersion(const SafetensorsReader &file) {
  auto found = file.metadata().find(std::string(formatVersionKey));
  if (found == file.metadata().end() || found->second == formatVersion)
    return Status();
  return notACheckpoint(StatusCode::kFailedPrecondition, file.path(),
                        "its format version is " + quoteJson(found->second) +
                            ", this program reads " + quoteJson(formatVersion));
}

Status
flywheel::runtime::saveCheckpoint(const std::string &path,
                                  const std::vector<TensorView> &variables,
                                  const Metadata &metadata) {
  if (variables.empty())
    return Status::invalidArgument("No variables to save");
  for (std::string_view key : {formatVersionKey, checksumsKey})
    if (metadata.count(std::string(key)))
      return Status::invalidArgument("can't save: the metadata key " +
                                     quoteJson(key) + " is reserved");
  if (Status status = checkWritable(variables, metadata); !status.isOk())
    return status;
  for (const TensorView &variable : variables)
    if (!hasValidElements(variable.dtype, variable.data,
                          *byteCount(variable.dtype, variable.shape)))
      return Status::invalidArgument(
          "can't save " + variable.name +
          ": it has a boolean that is neither 0 nor 1");
  Metadata all = metadata;
  all[std::string(formatVersionKey)] = formatVersion;
  all[std::string(checksumsKey)] = formatChecksums(variables, all);
  removeStaleTemporaries(parentDirectory(path));
  return writeSafetensors(path, variables, all);
}

Status flywheel::runtime::notACheckpoint(StatusCode code,
                                         const std::string &path,
                                         const std::string &reason) {
  return {code, "'" + path + "' is not a valid checkpoint: " + reason};
}

Result<CheckpointReader> CheckpointReader::open(const std::string &path) {
  Result<SafetensorsReader> file = SafetensorsReader::open(path);
  if (!file.isOk())
    return notACheckpoint(file.status().code(), path, file.status().message());
  if (Status status = checkVersion(*file); !status.isOk())
    return status;
  Result<Checksums> checksums = Checksums::read(*file);
  if (!checksums.isOk())
    return checksums.status();
  return CheckpointReader(std::move(*file), std::move(*checksums));
}

Status CheckpointReader::checkBooleans(const TensorInfo &info) const {
  std::vector<std::byte> chunk(
      size_t(std::min<uint64_t>(info.byteSize(), 1 << 20)));
  for (uint64_t begin = info.begin; begin < info.end; begin += chunk.size()) {
    uint64_t size = std::min<uint64_t>(chunk.size(), info.end - begin);
    if (Status status = file.read(begin, size, chunk.data()); !status.isOk())
      return status;
    if (!hasValidElements(DType::Bool, chunk.data(), size))
      return notACheckpoint(StatusCode::kDataLoss, path(),
                            info.name +
                                " has a boolean that is neither 0 nor 1");
  }
  return Status();
}

Status CheckpointReader::makeMissingError(const std::string &name,
                                          const std::string &variable) const {
  bool isRenamed = !variable.empty() && variable != name;
  return Status::notFound(
      "Key " + name + " not found in checkpoint '" + path() + "'" +
      (isRenamed ? ", which variable '" + variable + "' is restored from"
                 : ""));
}

/// Returns the start of the error of a restore of the key \p name, which also
/// names the variable if its name differs.
static std::string makePrefix(const std::string &name,
                              const std::string &variable,
                              const std::string &path) {
  bool isRenamed = !variable.empty() && variable != name;
  return "can't restore " +
         (isRenamed ? "variable '" + variable + "' from key '" + name + "' of"
                    : name + " from") +
         " checkpoint '" + path + "': ";
}

Status CheckpointReader::checkDType(const std::string &name,
                                    const std::string &variable, DType found,
                                    DType expected) const {
  if (found == expected)
    return Status();
  return Status::invalidArgument(
      makePrefix(name, variable, path()) + "the checkpoint's dtype is " +
      std::string(numpyName(found)) + ", the variable's is " +
      std::string(numpyName(expected)));
}

Status CheckpointReader::checkShape(const std::string &name,
                                    const std::string &variable,
                                    const Shape &found, const Shape &expected,
                                    const RestoreOptions &options) const {
  if (options.reshape ? elementCount(found) == elementCount(expected)
                      : found == expected)
    return Status();
  return Status::invalidArgument(
      makePrefix(name, variable, path()) + "the checkpoint's shape is " +
      formatShape(found) + ", the variable's is " + formatShape(expected) +
      (options.reshape ? ", which has another number of elements" : ""));
}

Status CheckpointReader::checkTarget(const RestoreTarget &target,
                                     const RestoreOptions &options) const {
  const TensorInfo *info = file.find(target.name);
  if (!info && findStrings(file, target.name))
    return checkDType(target.name, target.variable, DType::String,
                      target.dtype);
  if (!info)
    return makeMissingError(target.name, target.variable);
  if (Status status =
          checkDType(target.name, target.variable, info->dtype, target.dtype);
      !status.isOk())
    return status;
  if (Status status = checkShape(target.name, target.variable, info->shape,
                                 target.shape, options);
      !status.isOk())
    return status;
  if (info->byteSize() && !target.data)
    return Status::invalidArgument(
        makePrefix(target.name, target.variable, path()) +
        "the destination is null");
  return info->dtype == DType::Bool ? checkBooleans(*info) : Status();
}

Result<StringTensor>
CheckpointReader::readStrings(const std::string &name,
                              const std::string &variable, const Shape &shape,
                              const RestoreOptions &options) const {
  std::optional<StringTensorInfo> found = findStrings(file, name);
  const TensorInfo *other = file.find(name);
  if (!found && other)
    return checkDType(name, variable, other->dtype, DType::String);
  if (!found)
    return makeMissingError(name, variable);
  if (Status status =
          checkShape(name, variable, found->lengths->shape, shape, options);
      !status.isOk())
    return status;
  for (const TensorInfo *info : {found->lengths, found->bytes})
    if (Status status = checksums.verify(file, *info); !status.isOk())
      return status;
  return readStringTensor(file, name);
}

Status CheckpointReader::check(const std::vector<RestoreTarget> &targets,
                               const RestoreOptions &options) const {
  for (const RestoreTarget &target : targets)
    if (Status status = checkTarget(target, options); !status.isOk())
      return status;
  for (const RestoreTarget &target : targets)
    if (Status status = checksums.verify(file, *file.find(target.name));
        !status.isOk())
      return status;
  return Status();
}

Status CheckpointReader::read(const std::vector<RestoreTarget> &targets) const {
  std::vector<std::pair<const TensorInfo *, void *>> reads;
  for (const RestoreTarget &target : targets)
    reads.emplace_back(file.find(target.name), target.data);
  // In the order of the file, which is fastest for disks and read-ahead.
  std::sort(reads.begin(), reads.end(), [](const auto &a, const auto &b) {
    return a.first->begin < b.first->begin;
  });
  for (const auto &[info, data] : reads)
    if (Status status = file.read(info->begin, info->byteSize(), data);
        !status.isOk())
      return status;
  return Status();
}

Status
flywheel::runtime::restoreCheckpoint(const std::string &path,
                                     const std::vector<RestoreTarget> &targets,
                                     const RestoreOptions &options) {
  Result<CheckpointReader> file = CheckpointReader::open(path);
  if (!file.isOk())
    return file.status();
  if (Status status = file->check(targets, options); !status.isOk())
    return status;
  return file->read(targets);
}
