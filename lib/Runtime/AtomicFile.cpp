//===- AtomicFile.cpp - Write a file completely or not at all -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/AtomicFile.h"

#include "flywheel/Runtime/FileDescriptor.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace flywheel::runtime;

static Status systemError(const std::string &doing, const std::string &path,
                          int error) {
  return Status::ioError("can't " + doing + " '" + path +
                         "': " + std::strerror(error));
}

/// Checks that \p path can be the name of a file in an existing directory.
static Status checkDestination(const std::string &path) {
  if (path.empty())
    return Status::invalidArgument("can't save to an empty path");
  if (path.find('\0') != std::string::npos)
    return Status::invalidArgument("can't save to a path with a null byte");
  if (Status status = checkParentDirectory(path); !status.isOk())
    return status;
  struct stat info;
  if (path.back() == '/' ||
      (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)))
    return Status::invalidArgument("can't save to '" + path +
                                   "': it is a directory");
  // A rename would put a file in the place of a device or a pipe. Links are
  // replaced, not followed.
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISLNK(info.st_mode))
    return Status::invalidArgument("can't save to '" + path +
                                   "': it is not a regular file");
  if (isTemporaryName(lastComponent(path)))
    return Status::invalidArgument("can't save to '" + path +
                                   "': temporary files have such names");
  return Status();
}

/// Writes all of \p span, however often the system stops in between.
/// \returns 0 or an errno.
static int writeAll(int fd, ByteSpan span) {
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
static int syncDirectory(const std::string &directory) {
  int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    // A directory can be writable but not readable: then it cannot be flushed.
    return errno == EACCES ? 0 : errno;
  int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  // Some file systems cannot flush directories and say so.
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

constexpr std::string_view temporaryPrefix = ".flywheel-";

constexpr std::string_view temporarySuffix = ".tmp";

/// Creates a new file in \p directory, locked against
/// removeStaleTemporaries(), and sets \p path to its name. The name does not
/// grow with the destination's, so it is never too long.
/// \returns a file without a descriptor, with errno set, after an error.
static FileDescriptor createTemporary(const std::string &directory,
                                      std::string &path) {
  static std::atomic<uint64_t> counter{0};
  // A crash can leave files behind whose process id is in use again.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    path = directory + "/" + std::string(temporaryPrefix) +
           std::to_string(getpid()) + "-" + std::to_string(counter++) +
           std::string(temporarySuffix);
    FileDescriptor file(
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) {
      if (errno == EEXIST)
        continue;
      return file;
    }
    // Before the lock was there, somebody may have found the file stale.
    while (flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat info;
    if (fstat(file.get(), &info) == 0 && info.st_nlink != 0)
      return file;
  }
  errno = EEXIST;
  return FileDescriptor();
}

/// Writes \p parts to a new temporary file and renames it to \p path.
/// \returns 0, or an errno; then the temporary file has been removed.
static int replaceFile(const std::string &path, const std::string &directory,
                       const std::vector<ByteSpan> &parts) {
  std::string temporary;
  FileDescriptor file = createTemporary(directory, temporary);
  if (file.get() < 0)
    return errno;
  int error = 0;
  for (const ByteSpan &part : parts)
    if (!error)
      error = writeAll(file.get(), part);
  if (!error && fsync(file.get()) != 0)
    error = errno;
  // Only then closed: the lock must last as long as the temporary name.
  if (!error && rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error)
    unlink(temporary.c_str());
  return error;
}

std::string flywheel::runtime::parentDirectory(const std::string &path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  size_t end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

std::string flywheel::runtime::lastComponent(const std::string &path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string flywheel::runtime::canonicalPath(const std::string &path) {
  std::string directory = parentDirectory(path);
  if (char *resolved = realpath(directory.c_str(), nullptr)) {
    directory = resolved;
    std::free(resolved);
  }
  return (directory == "/" ? "" : directory) + "/" + lastComponent(path);
}

/// Removes a number from the front of \p text. \returns whether there is one.
static bool consumeDigits(std::string_view &text) {
  size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count != 0;
}

bool flywheel::runtime::isTemporaryName(std::string_view name) {
  if (name.substr(0, temporaryPrefix.size()) != temporaryPrefix)
    return false;
  name.remove_prefix(temporaryPrefix.size());
  if (!consumeDigits(name) || name.empty() || name.front() != '-')
    return false;
  name.remove_prefix(1);
  return consumeDigits(name) && name == temporarySuffix;
}

Status flywheel::runtime::checkParentDirectory(const std::string &path) {
  struct stat info;
  if (stat(parentDirectory(path).c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return systemError("open the parent directory of", path, errno);
  } else if (S_ISDIR(info.st_mode)) {
    return Status();
  }
  return Status::failedPrecondition("Parent directory of " + path +
                                    " doesn't exist, can't save");
}

Status flywheel::runtime::checkSavePath(const std::string &path) {
  return checkDestination(path);
}

Status
flywheel::runtime::writeFileAtomically(const std::string &path,
                                       const std::vector<ByteSpan> &parts) {
  if (Status status = checkDestination(path); !status.isOk())
    return status;
  std::string directory = parentDirectory(path);
  if (int error = replaceFile(path, directory, parts))
    return systemError("write", path, error);
  if (int error = syncDirectory(directory))
    return systemError("flush the directory of", path, error);
  return Status();
}

void flywheel::runtime::removeStaleTemporaries(const std::string &directory) {
  DIR *entries = opendir(directory.c_str());
  if (!entries)
    return;
  while (const dirent *entry = readdir(entries)) {
    if (!isTemporaryName(entry->d_name))
      continue;
    std::string path = directory + "/" + entry->d_name;
    FileDescriptor file(
        open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      unlink(path.c_str());
  }
  closedir(entries);
}
