//===- SafetensorsReader.cpp - Read safetensors files ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace flywheel::runtime;

/// Cache-line and vector alignment for the data section.
constexpr size_t dataAlignment = 64;

static Status readError(const std::string &path, int error) {
  std::string text = "can't read '" + path + "': " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR)
    return Status::notFound(text);
  return Status::ioError(text);
}

/// Reads exactly the \p size bytes at \p position.
static Status readAll(int fd, void *out, uint64_t size, uint64_t position,
                      const std::string &path) {
  char *next = static_cast<char *>(out);
  while (size) {
    // Linux transfers at most 2 GiB at a time.
    uint64_t chunk = size < (uint64_t(1) << 30) ? size : uint64_t(1) << 30;
    ssize_t got = pread(fd, next, size_t(chunk), off_t(position));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return readError(path, errno);
    if (got == 0)
      return malformedFile(path, "it became shorter while it was read");
    next += got;
    position += uint64_t(got);
    size -= uint64_t(got);
  }
  return Status();
}

static Status outOfMemory(const std::string &path, uint64_t size) {
  return Status::resourceExhausted("can't read '" + path + "': no memory for " +
                                   std::to_string(size) + " bytes");
}

//===----------------------------------------------------------------------===//
// SafetensorsContents
//===----------------------------------------------------------------------===//

SafetensorsContents::SafetensorsContents(std::string source, Metadata metadata,
                                         std::vector<TensorInfo> tensors)
    : source(std::move(source)), metadataMap(std::move(metadata)),
      infos(std::move(tensors)) {
  // The names do not move when the vector is moved.
  index.reserve(infos.size());
  for (size_t i = 0; i < infos.size(); ++i)
    index.emplace(infos[i].name, i);
}

const TensorInfo *SafetensorsContents::find(std::string_view name) const {
  auto found = index.find(name);
  return found == index.end() ? nullptr : &infos[found->second];
}

//===----------------------------------------------------------------------===//
// SafetensorsReader
//===----------------------------------------------------------------------===//

SafetensorsReader::SafetensorsReader(SafetensorsContents contents,
                                     FileDescriptor file, uint64_t dataBegin,
                                     uint64_t dataBytes)
    : SafetensorsContents(std::move(contents)), file(std::move(file)),
      dataBegin(dataBegin), dataBytes(dataBytes) {}

Result<SafetensorsReader> SafetensorsReader::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    return Status::notFound("can't read '" + path +
                            "': the path has a null byte");
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0)
    return readError(path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::ioError("can't read '" + path + "': not a regular file");

#ifdef POSIX_FADV_SEQUENTIAL
  // A hint: most files are read from the front to the back.
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  uint64_t fileSize = uint64_t(info.st_size);
  unsigned char prefix[headerPrefixBytes] = {};
  uint64_t available = std::min<uint64_t>(fileSize, headerPrefixBytes);
  if (Status status = readAll(file.get(), prefix, available, 0, path);
      !status.isOk())
    return status;
  Result<uint64_t> length =
      decodeHeaderLength(prefix, available, fileSize, path);
  if (!length.isOk())
    return length.status();

  std::unique_ptr<char[]> json(new (std::nothrow) char[*length]);
  if (!json)
    return outOfMemory(path, *length);
  if (Status status =
          readAll(file.get(), json.get(), *length, headerPrefixBytes, path);
      !status.isOk())
    return status;
  uint64_t dataBegin = headerPrefixBytes + *length;
  Result<SafetensorsHeader> header =
      parseHeader({json.get(), size_t(*length)}, fileSize - dataBegin, path);
  if (!header.isOk())
    return header.status();
  return SafetensorsReader(SafetensorsContents(path,
                                               std::move(header->metadata),
                                               std::move(header->tensors)),
                           std::move(file), dataBegin, fileSize - dataBegin);
}

Status SafetensorsReader::read(uint64_t begin, uint64_t size, void *out) const {
  return readAll(file.get(), out, size, dataBegin + begin, path());
}

//===----------------------------------------------------------------------===//
// SafetensorsFile
//===----------------------------------------------------------------------===//

SafetensorsFile::SafetensorsFile(SafetensorsContents contents, Buffer bytes)
    : SafetensorsContents(std::move(contents)), bytes(std::move(bytes)) {}

SafetensorsFile::Buffer SafetensorsFile::allocate(uint64_t size) {
  if (size > SIZE_MAX - dataAlignment)
    return nullptr;
  // Never null for lack of bytes: an empty data section has an address too.
  size_t rounded = (size_t(size) / dataAlignment + 1) * dataAlignment;
  return Buffer(
      static_cast<std::byte *>(std::aligned_alloc(dataAlignment, rounded)));
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  Result<SafetensorsReader> reader = SafetensorsReader::open(path);
  if (!reader.isOk())
    return reader.status();
  Buffer bytes = allocate(reader->dataSize());
  if (!bytes)
    return outOfMemory(path, reader->dataSize());
  if (Status status = reader->read(0, reader->dataSize(), bytes.get());
      !status.isOk())
    return status;
  return SafetensorsFile(std::move(*reader), std::move(bytes));
}

Result<SafetensorsFile> SafetensorsFile::parse(const void *data, size_t size,
                                               const std::string &source) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  Result<uint64_t> length = decodeHeaderLength(bytes, size, size, source);
  if (!length.isOk())
    return length.status();
  const unsigned char *json = bytes + headerPrefixBytes;
  uint64_t dataSize = size - headerPrefixBytes - *length;
  Result<SafetensorsHeader> header =
      parseHeader({reinterpret_cast<const char *>(json), size_t(*length)},
                  dataSize, source);
  if (!header.isOk())
    return header.status();

  Buffer copy = allocate(dataSize);
  if (!copy)
    return outOfMemory(source, dataSize);
  std::memcpy(copy.get(), json + *length, dataSize);
  return SafetensorsFile(SafetensorsContents(source,
                                             std::move(header->metadata),
                                             std::move(header->tensors)),
                         std::move(copy));
}
