//===- FileDescriptor.h - An open file --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_FILEDESCRIPTOR_H
#define FLYWHEEL_RUNTIME_FILEDESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace flywheel::runtime {

/// Owns a file descriptor, or -1, and closes it.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) : fd(std::exchange(other.fd, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) {
    std::swap(fd, other.fd);
    return *this;
  }
  ~FileDescriptor() {
    if (fd >= 0)
      close(fd);
  }
  int get() const { return fd; }

private:
  int fd = -1;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_FILEDESCRIPTOR_H
