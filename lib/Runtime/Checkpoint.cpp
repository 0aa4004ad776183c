//===- Checkpoint.cpp - Save and restore variables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checkpoint.h"

#include "Convert.h"

#include "flywheel/Runtime/JsonString.h"

#include <cstring>

using namespace flywheel::runtime;

namespace {

/// True when no byte is a Bool other than 0 or 1, which no program may see.
bool hasValidElements(DType dtype, const void *data, uint64_t bytes) {
  return dtype != DType::Bool ||
         findInexact(DType::Bool, DType::Bool,
                     static_cast<const std::byte *>(data), bytes) == bytes;
}

Status notACheckpoint(StatusCode code, const std::string &path,
                      const std::string &reason) {
  return {code, "'" + path + "' is not a valid checkpoint: " + reason};
}

Status checkVersion(const SafetensorsFile &file) {
  auto found = file.metadata().find(std::string(formatVersionKey));
  if (found == file.metadata().end() || found->second == formatVersion)
    return Status();
  return notACheckpoint(StatusCode::kFailedPrecondition, file.path(),
                        "its format version is " + quoteJson(found->second) +
                            ", this program reads " + quoteJson(formatVersion));
}

/// Checks everything that could go wrong with \p target.
Status checkTarget(const SafetensorsFile &file, const RestoreTarget &target) {
  const TensorInfo *info = file.find(target.name);
  if (!info)
    return Status::notFound("Key " + target.name +
                            " not found in checkpoint '" + file.path() + "'");
  std::string who = "can't restore " + target.name + " from checkpoint '" +
                    file.path() + "': ";
  if (info->dtype != target.dtype)
    return Status::invalidArgument(who + "the checkpoint's dtype is " +
                                   std::string(numpyName(info->dtype)) +
                                   ", the variable's is " +
                                   std::string(numpyName(target.dtype)));
  if (info->shape != target.shape)
    return Status::invalidArgument(
        who + "the checkpoint's shape is " + formatShape(info->shape) +
        ", the variable's is " + formatShape(target.shape));
  if (info->byteSize() && !target.data)
    return Status::invalidArgument(who + "the destination is null");
  if (!hasValidElements(info->dtype, file.data(*info), info->byteSize()))
    return notACheckpoint(StatusCode::kDataLoss, file.path(),
                          target.name +
                              " has a boolean that is neither 0 nor 1");
  return Status();
}

} // namespace

Status
flywheel::runtime::saveCheckpoint(const std::string &path,
                                  const std::vector<TensorView> &variables,
                                  const Metadata &metadata) {
  if (variables.empty())
    return Status::invalidArgument("No variables to save");
  std::string versionKey(formatVersionKey);
  if (metadata.count(versionKey))
    return Status::invalidArgument("can't save: the metadata key " +
                                   quoteJson(versionKey) + " is reserved");
  for (const TensorView &variable : variables) {
    // A bad shape or null data is reported by the writer.
    std::optional<uint64_t> size = byteCount(variable.dtype, variable.shape);
    if (size && variable.data &&
        !hasValidElements(variable.dtype, variable.data, *size))
      return Status::invalidArgument(
          "can't save " + variable.name +
          ": it has a boolean that is neither 0 nor 1");
  }
  Metadata all = metadata;
  all[versionKey] = formatVersion;
  return writeSafetensors(path, variables, all);
}

Status flywheel::runtime::restoreCheckpoint(
    const std::string &path, const std::vector<RestoreTarget> &targets) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.isOk())
    return notACheckpoint(file.status().code(), path, file.status().message());
  if (Status status = checkVersion(*file); !status.isOk())
    return status;
  for (const RestoreTarget &target : targets)
    if (Status status = checkTarget(*file, target); !status.isOk())
      return status;
  for (const RestoreTarget &target : targets) {
    const TensorInfo *info = file->find(target.name);
    if (info->byteSize())
      std::memcpy(target.data, file->data(*info), info->byteSize());
  }
  return Status();
}
