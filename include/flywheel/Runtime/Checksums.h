//===- Checksums.h - Checksums of a checkpoint ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of a checkpoint has the CRC-32 of each tensor, and that of the
// header's contents. docs/CheckpointFormat.md describes the form.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CHECKSUMS_H
#define FLYWHEEL_RUNTIME_CHECKSUMS_H

#include "flywheel/Runtime/Safetensors.h"

#include <cstdint>
#include <optional>

namespace flywheel::runtime {

/// The metadata key of the checksums.
inline constexpr std::string_view checksumsKey = "flywheel_checksums";

/// Returns the CRC-32 of ISO 3309, which PNG and zlib use, of \p size bytes. To
/// compute it part by part, pass the result for the parts before as \p
/// previous.
uint32_t computeCrc32(const void *data, size_t size, uint32_t previous = 0);

/// The checksums of a file with these tensors and this metadata, as a text:
/// `{"header":"0a1b2c3d","tensors":{"W":"89abcdef"}}`. The tensors are valid.
std::string formatChecksums(const std::vector<TensorView> &tensors,
                            const Metadata &metadata);

/// The checksums that a file says its tensors have.
class Checksums {
public:
  /// Reads the checksums of \p file, and checks that of its header. None for a
  /// file without checksums, such as another program's. Error: kDataLoss `PATH
  /// is not a valid checkpoint` if they are malformed or the header differs.
  static Result<Checksums> read(const SafetensorsReader &file);

  /// Returns true if the file has any.
  bool exist() const { return tensors.has_value(); }

  /// Reads the data of \p info, a tensor of \p file, and compares its checksum.
  /// Errors: kDataLoss, with file and tensor, if it differs; those of
  /// SafetensorsReader::read().
  Status verify(const SafetensorsReader &file, const TensorInfo &info) const;

private:
  /// Nullopt if the file has no checksums.
  std::optional<std::map<std::string, uint32_t>> tensors;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKSUMS_H
