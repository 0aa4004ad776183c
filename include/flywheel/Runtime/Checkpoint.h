//===- Checkpoint.h - Save and restore variables ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is one safetensors file: a tensor per variable, under the
// variable's name, and in the metadata the version of this convention. See
// docs/CheckpointFormat.md.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CHECKPOINT_H
#define FLYWHEEL_RUNTIME_CHECKPOINT_H

#include "flywheel/Runtime/Safetensors.h"

namespace flywheel::runtime {

/// The metadata key of the format's version, and the version this library
/// writes and reads.
inline constexpr std::string_view formatVersionKey = "flywheel_format";
inline constexpr std::string_view formatVersion = "1";

/// A variable to fill from a checkpoint.
struct RestoreTarget {
  /// The key in the file; may contain '/'.
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  /// byteCount(dtype, shape) writable bytes. May be null when that is zero.
  void *data = nullptr;
};

/// Writes \p variables to \p path, all or nothing: after an error or a crash
/// \p path is as before. \p metadata is kept with them; the key
/// "flywheel_format" is added.
///
/// Errors: kInvalidArgument `No variables to save` for an empty list, for the
/// reserved metadata key, for a Bool element that is neither 0 nor 1, and
/// where writeSafetensors() gives it; kFailedPrecondition `Parent directory of
/// PATH doesn't exist, can't save`; kIOError.
Status saveCheckpoint(const std::string &path,
                      const std::vector<TensorView> &variables,
                      const Metadata &metadata = {});

/// Fills every target from the checkpoint at \p path. Everything is validated
/// before the first byte is written: after an error all targets are unchanged.
/// Tensors of the file that no target asks for are ignored. A file without a
/// version, such as another program's safetensors, is accepted.
///
/// Errors: `PATH is not a valid checkpoint: REASON` as kNotFound when the file
/// is missing, kIOError when it is unreadable, kDataLoss when it is damaged,
/// kFailedPrecondition when its version is not ours; kNotFound `Key NAME not
/// found in checkpoint PATH`; kInvalidArgument when a shape or a dtype differs
/// (the text names both) or a target is unusable.
Status restoreCheckpoint(const std::string &path,
                         const std::vector<RestoreTarget> &targets);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKPOINT_H
