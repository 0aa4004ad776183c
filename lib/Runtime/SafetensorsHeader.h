//===- SafetensorsHeader.h - The JSON header --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_SAFETENSORSHEADER_H
#define FLYWHEEL_LIB_RUNTIME_SAFETENSORSHEADER_H

#include "flywheel/Runtime/Safetensors.h"

namespace flywheel::runtime {

/// Bytes before the JSON: a little-endian u64, the length of the JSON.
inline constexpr uint64_t headerPrefixBytes = 8;

/// The header's key for the file's metadata; no tensor can have this name.
inline constexpr std::string_view metadataKey = "__metadata__";

struct SafetensorsHeader {
  Metadata metadata;
  /// In the order of their data.
  std::vector<TensorInfo> tensors;
};

/// Returns the error "'PATH' is not a valid safetensors file: REASON".
Status malformedFile(const std::string &source, const std::string &reason);

/// Decodes the length of the JSON from the first \p available bytes of a file
/// of \p fileSize bytes, and checks that the file can hold it.
Result<uint64_t> decodeHeaderLength(const unsigned char *prefix,
                                    uint64_t available, uint64_t fileSize,
                                    const std::string &source);

/// Parses and validates the JSON of a file whose data section has \p dataSize
/// bytes. Accepts nothing but the schema, and stops at the first token that
/// leaves it, so that its cost is bounded by the text's length.
Result<SafetensorsHeader> parseHeader(std::string_view json, uint64_t dataSize,
                                      const std::string &source);

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_SAFETENSORSHEADER_H
