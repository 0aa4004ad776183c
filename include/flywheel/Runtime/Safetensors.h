//===- Safetensors.h - Read and write safetensors files ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format (https://github.com/huggingface/safetensors): a little-endian u64
// N, then N bytes of JSON
//   {"__metadata__": {KEY: STRING, ...},
//    NAME: {"dtype": "F32", "shape": [2,3], "data_offsets": [BEGIN, END]}, ...}
// then the data section, which the tensors tile without overlaps or holes. The
// offsets count from the start of the data section.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_SAFETENSORS_H
#define FLYWHEEL_RUNTIME_SAFETENSORS_H

#include "flywheel/Runtime/DType.h"
#include "flywheel/Runtime/FileDescriptor.h"
#include "flywheel/Runtime/Status.h"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flywheel::runtime {

/// The free-form string map of a file's header.
using Metadata = std::map<std::string, std::string>;

/// The largest header, in bytes, that is read or written (the limit of the
/// reference implementation).
inline constexpr uint64_t maxHeaderBytes = 100'000'000;

/// One tensor of a file, as the header describes it.
struct TensorInfo {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  /// The range of its bytes in the data section: [begin, end).
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t byteSize() const { return end - begin; }
};

/// The contents of the header of a safetensors file. It is valid: every dtype
/// is known, every shape fits its bytes, the tensors tile the data section.
class SafetensorsContents {
public:
  /// For \p tensors that are valid and sorted.
  SafetensorsContents(std::string source, Metadata metadata,
                      std::vector<TensorInfo> tensors);
  SafetensorsContents(SafetensorsContents &&) = default;
  SafetensorsContents &operator=(SafetensorsContents &&) = default;

  /// The path or source given on construction.
  const std::string &path() const { return source; }
  const Metadata &metadata() const { return metadataMap; }

  /// All tensors, in the order of their data.
  const std::vector<TensorInfo> &tensors() const { return infos; }

  /// The tensor of that name, or null.
  const TensorInfo *find(std::string_view name) const;

private:
  std::string source;
  Metadata metadataMap;
  std::vector<TensorInfo> infos;
  /// Its keys are views of the names in `infos`: hence no copies.
  std::unordered_map<std::string_view, size_t> index;
};

/// An open safetensors file, whose data is read on demand.
///
/// The file is read, not mapped: a disk error or a file that someone truncates
/// meanwhile is then an error value and not a signal.
class SafetensorsReader : public SafetensorsContents {
public:
  /// Opens \p path and reads and validates its header. Every message names the
  /// file. Errors: kNotFound when there is no such file; kIOError when it
  /// cannot be read or is not a regular file; kDataLoss when it is malformed,
  /// with the first error; kResourceExhausted when the header does not fit
  /// memory.
  static Result<SafetensorsReader> open(const std::string &path);

  /// Bytes of the data section.
  uint64_t dataSize() const { return dataBytes; }

  /// Reads \p size bytes of the data section from \p begin. Errors: kIOError;
  /// kDataLoss when somebody made the file shorter.
  Status read(uint64_t begin, uint64_t size, void *out) const;

private:
  SafetensorsReader(SafetensorsContents contents, FileDescriptor file,
                    uint64_t dataBegin, uint64_t dataBytes);

  FileDescriptor file;
  uint64_t dataBegin;
  uint64_t dataBytes;
};

/// A safetensors file in memory.
class SafetensorsFile : public SafetensorsContents {
public:
  /// Reads \p path completely. Errors: those of SafetensorsReader, and
  /// kResourceExhausted when the data does not fit memory.
  static Result<SafetensorsFile> open(const std::string &path);

  /// The same for the \p size bytes at \p data, which are copied. \p source
  /// stands for the path in messages.
  static Result<SafetensorsFile> parse(const void *data, size_t size,
                                       const std::string &source);

  /// The bytes of \p info, which must be one of tensors(). Files of other
  /// writers need not align a tensor to its element type: use memcpy.
  const std::byte *data(const TensorInfo &info) const {
    return bytes.get() + info.begin;
  }

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  using Buffer = std::unique_ptr<std::byte[], Free>;

  SafetensorsFile(SafetensorsContents contents, Buffer bytes);
  /// Memory for a data section, or null.
  static Buffer allocate(uint64_t size);

  Buffer bytes;
};

/// One tensor to write.
struct TensorView {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  /// byteCount(dtype, shape) bytes, dense, row-major. May be null when that is
  /// zero.
  const void *data = nullptr;
};

/// Checks what writeSafetensors() requires of its arguments. Error:
/// kInvalidArgument for the first invalid one.
Status checkWritable(const std::vector<TensorView> &tensors,
                     const Metadata &metadata);

/// Writes a safetensors file atomically (see AtomicFile.h). The bytes depend
/// on the arguments only, not on their order: tensors are sorted by falling
/// element size, so that each is aligned, then by name.
///
/// Errors: those of writeFileAtomically(), and kInvalidArgument, before
/// anything is written, for a duplicate or reserved name ("__metadata__"), text
/// that is not UTF-8, a bad shape, null data, or a header that is too large.
Status writeSafetensors(const std::string &path,
                        const std::vector<TensorView> &tensors,
                        const Metadata &metadata = {});

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_SAFETENSORS_H
