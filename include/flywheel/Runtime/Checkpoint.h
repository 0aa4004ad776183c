//===- Checkpoint.h - Save and restore variables ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is one safetensors file: a tensor per variable, under the
// variable's name, and in the metadata the version of this convention and
// checksums. See docs/CheckpointFormat.md.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CHECKPOINT_H
#define FLYWHEEL_RUNTIME_CHECKPOINT_H

#include "flywheel/Runtime/Checksums.h"
#include "flywheel/Runtime/Safetensors.h"
#include "flywheel/Runtime/StringTensor.h"

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
  /// For messages, the name of the variable of the data; empty if it is \p
  /// name.
  std::string variable = {};
};

/// Writes \p variables to \p path, all or nothing: after an error or a crash
/// \p path is as before. \p metadata is kept with them; the keys
/// "flywheel_format" and "flywheel_checksums" are added. Temporary files that a
/// crash left in the directory are removed first.
///
/// Errors: kInvalidArgument `No variables to save` for an empty list, for the
/// reserved metadata keys, for a Bool element that is neither 0 nor 1, and if
/// writeSafetensors() returns it; kFailedPrecondition `Parent directory of PATH
/// doesn't exist, can't save`; kIOError.
Status saveCheckpoint(const std::string &path,
                      const std::vector<TensorView> &variables,
                      const Metadata &metadata = {});

/// Conversions that a restore may make.
struct RestoreOptions {
  /// Accept another shape with as many elements; they keep their order.
  bool reshape = false;
};

/// An open checkpoint. Filling variables from it has two steps, so that nothing
/// changes before everything was found right, and yet no second copy of the
/// values is needed: check(), then read().
class CheckpointReader {
public:
  /// Opens \p path and checks its header. A file without a version or
  /// checksums, such as another program's safetensors, is accepted.
  ///
  /// Errors: `PATH is not a valid checkpoint: REASON` as kNotFound when the
  /// file is missing, kIOError when it is unreadable, kDataLoss when it is
  /// damaged, kFailedPrecondition when its version is not ours.
  static Result<CheckpointReader> open(const std::string &path);

  const std::string &path() const { return file.path(); }
  const Metadata &metadata() const { return file.metadata(); }

  /// Checks that every target can be filled, and that the data has the
  /// checksums that the file says, for which it is read. Tensors of the file
  /// that no target asks for are ignored.
  ///
  /// Errors: kNotFound `Key NAME not found in checkpoint PATH`;
  /// kInvalidArgument when a dtype or a shape differs (the text names both) or
  /// a target is unusable; kDataLoss for a Bool that is neither 0 nor 1, and
  /// for another checksum, with the name of the tensor; kIOError.
  Status check(const std::vector<RestoreTarget> &targets,
               const RestoreOptions &options = {}) const;

  /// The strings at the key \p name for a variable of that name and shape, in
  /// memory. Errors: those of check() and read(); kDataLoss for lengths that do
  /// not fit the bytes.
  Result<StringTensor> readStrings(const std::string &name,
                                   const std::string &variable,
                                   const Shape &shape,
                                   const RestoreOptions &options = {}) const;

  /// Fills the targets, which check() has found right. Errors: kIOError and
  /// kDataLoss, only when the disk fails or somebody changes the file in these
  /// moments. The targets' contents are undefined then.
  Status read(const std::vector<RestoreTarget> &targets) const;

private:
  Status makeMissingError(const std::string &name,
                          const std::string &variable) const;
  Status checkDType(const std::string &name, const std::string &variable,
                    DType found, DType expected) const;
  Status checkShape(const std::string &name, const std::string &variable,
                    const Shape &found, const Shape &expected,
                    const RestoreOptions &options) const;
  CheckpointReader(SafetensorsReader file, Checksums checksums)
      : file(std::move(file)), checksums(std::move(checksums)) {}
  Status checkTarget(const RestoreTarget &target,
                     const RestoreOptions &options) const;
  Status checkBooleans(const TensorInfo &info) const;

  SafetensorsReader file;
  Checksums checksums;
};

/// `PATH is not a valid checkpoint: REASON`.
Status notACheckpoint(StatusCode code, const std::string &path,
                      const std::string &reason);

/// Fills every target from the checkpoint at \p path, all or nothing but for
/// the errors of CheckpointReader::read(). Errors: those of CheckpointReader.
Status restoreCheckpoint(const std::string &path,
                         const std::vector<RestoreTarget> &targets,
                         const RestoreOptions &options = {});

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKPOINT_H
