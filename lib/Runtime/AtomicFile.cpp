//===- AtomicFile.cpp - Write a file completely or not at all -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace flywheel::runtime;

namespace {

Status systemError(const std::string &doing, const std::string &path,
                   int error) {
  return Status::ioError("can't " + doing + " '" + path +
                         "': " + std::strerror(error));
}

/// The directory that holds \p path, e.g. "." for "a" and "/" for "/a".
std::string parentDirectory(const std::string &path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

/// Checks that \p path can be the name of a file in an existing directory.
Status checkDestination(const std::string &path, const std::string &directory) {
  if (path.empty())
    return Status::invalidArgument("can't save to an empty path");
  if (path.find('\0') != std::string::npos)
    return Status::invalidArgument("can't save to a path with a null byte");
  struct stat info;
  if (stat(directory.c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return systemError("open the parent directory of", path, errno);
  } else if (S_ISDIR(info.st_mode)) {
    if (path.back() == '/' ||
        (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)))
      return Status::invalidArgument("can't save to '" + path +
                                     "': it is a directory");
    return Status();
  }
  return Status::failedPrecondition("Parent directory of " + path +
                                    " doesn't exist, can't save");
}

/// Writes all of \p span, however often the system stops in between.
/// \returns 0 or an errno.
int writeAll(int fd, ByteSpan span) {
  const char *next = static_cast<const char *>(span.data);
  size_t left = span.size;
  while (left) {
    // Linux transfers at most 2 GiB at a time.
    size_t chunk = left < (size_t(1) << 30) ? left : size_t(1) << 30;
    ssize_t written = write(fd, next, chunk);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return errno;
    }
    next += written;
    left -= size_t(written);
  }
  return 0;
}

/// \returns 0 or an errno.
int syncDirectory(const std::string &directory) {
  int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    // A directory can be writable but not readable: then it cannot be flushed.
    return errno == EACCES ? 0 : errno;
  int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  // Some file systems cannot flush directories and say so.
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

/// Creates a new file in \p directory and sets \p path to its name. The name
/// does not grow with the destination's, so it is never too long.
/// \returns a file descriptor, or -1 with errno set.
int createTemporary(const std::string &directory, std::string &path) {
  static std::atomic<uint64_t> counter{0};
  // A crash can leave files behind whose process id is in use again.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    path = directory + "/.flywheel-" + std::to_string(getpid()) + "-" +
           std::to_string(counter++) + ".tmp";
    int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

} // namespace

Status flywheel::runtime::checkSavePath(const std::string &path) {
  return checkDestination(path, parentDirectory(path));
}

Status
flywheel::runtime::writeFileAtomically(const std::string &path,
                                       const std::vector<ByteSpan> &parts) {
  std::string directory = parentDirectory(path);
  if (Status status = checkDestination(path, directory); !status.isOk())
    return status;

  std::string temporary;
  int fd = createTemporary(directory, temporary);
  if (fd < 0)
    return systemError("create a file to save", path, errno);
  int error = 0;
  for (const ByteSpan &part : parts)
    if (!error)
      error = writeAll(fd, part);
  if (!error && fsync(fd) != 0)
    error = errno;
  if (close(fd) != 0 && !error)
    error = errno;
  if (!error && rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error) {
    unlink(temporary.c_str());
    return systemError("write", path, error);
  }
  if (int syncError = syncDirectory(directory))
    return systemError("flush the directory of", path, syncError);
  return Status();
}
