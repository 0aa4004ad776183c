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
#include <sys/stat.h>
#include <unistd.h>

using namespace flywheel::runtime;

namespace {

/// Cache-line and vector alignment for the data section.
constexpr size_t dataAlignment = 64;

/// Closes a file descriptor.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  ~FileDescriptor() {
    if (fd >= 0)
      close(fd);
  }
  int get() const { return fd; }

private:
  int fd;
};

Status readError(const std::string &path, int error) {
  std::string text = "can't read '" + path + "': " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR)
    return Status::notFound(text);
  return Status::ioError(text);
}

/// Reads exactly \p size bytes from the current position.
Status readAll(int fd, void *out, uint64_t size, const std::string &path) {
  char *next = static_cast<char *>(out);
  while (size) {
    // Linux transfers at most 2 GiB at a time.
    uint64_t chunk = size < (uint64_t(1) << 30) ? size : uint64_t(1) << 30;
    ssize_t got = read(fd, next, size_t(chunk));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return readError(path, errno);
    if (got == 0)
      return malformedFile(path, "it became shorter while it was read");
    next += got;
    size -= uint64_t(got);
  }
  return Status();
}

Status outOfMemory(const std::string &path, uint64_t size) {
  return Status::resourceExhausted("can't read '" + path + "': no memory for " +
                                   std::to_string(size) + " bytes");
}

} // namespace

SafetensorsFile::Buffer SafetensorsFile::allocate(uint64_t size) {
  if (size > SIZE_MAX - dataAlignment)
    return nullptr;
  // Never null for lack of bytes: an empty data section has an address too.
  size_t rounded = (size_t(size) / dataAlignment + 1) * dataAlignment;
  return Buffer(
      static_cast<std::byte *>(std::aligned_alloc(dataAlignment, rounded)));
}

void SafetensorsFile::buildIndex() {
  index.reserve(infos.size());
  for (size_t i = 0; i < infos.size(); ++i)
    index.emplace(infos[i].name, i);
}

const TensorInfo *SafetensorsFile::find(std::string_view name) const {
  auto found = index.find(name);
  return found == index.end() ? nullptr : &infos[found->second];
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    return Status::notFound("can't read '" + path +
                            "': the path has a null byte");
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (fd.get() < 0 || fstat(fd.get(), &info) != 0)
    return readError(path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::ioError("can't read '" + path + "': not a regular file");

  uint64_t fileSize = uint64_t(info.st_size);
  unsigned char prefix[headerPrefixBytes] = {};
  uint64_t available = std::min<uint64_t>(fileSize, headerPrefixBytes);
  if (Status status = readAll(fd.get(), prefix, available, path);
      !status.isOk())
    return status;
  Result<uint64_t> length =
      decodeHeaderLength(prefix, available, fileSize, path);
  if (!length.isOk())
    return length.status();

  Buffer json = allocate(*length);
  if (!json)
    return outOfMemory(path, *length);
  if (Status status = readAll(fd.get(), json.get(), *length, path);
      !status.isOk())
    return status;
  uint64_t dataSize = fileSize - headerPrefixBytes - *length;
  Result<SafetensorsHeader> header =
      parseHeader({reinterpret_cast<const char *>(json.get()), size_t(*length)},
                  dataSize, path);
  if (!header.isOk())
    return header.status();

  SafetensorsFile file;
  file.source = path;
  file.metadataMap = std::move(header->metadata);
  file.infos = std::move(header->tensors);
  file.bytes = allocate(dataSize);
  if (!file.bytes)
    return outOfMemory(path, dataSize);
  if (Status status = readAll(fd.get(), file.bytes.get(), dataSize, path);
      !status.isOk())
    return status;
  file.buildIndex();
  return file;
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

  SafetensorsFile file;
  file.source = source;
  file.metadataMap = std::move(header->metadata);
  file.infos = std::move(header->tensors);
  file.bytes = allocate(dataSize);
  if (!file.bytes)
    return outOfMemory(source, dataSize);
  std::memcpy(file.bytes.get(), json + *length, dataSize);
  file.buildIndex();
  return file;
}
