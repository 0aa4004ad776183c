//===- FileStamp.h - Which file a path names --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DRIVER_FILESTAMP_H
#define FLYWHEEL_LIB_DRIVER_FILESTAMP_H

#include "llvm/Support/FileSystem.h"

#include <string>

namespace flywheel {

/// Returns `path` with the size and the modification time of its file; empty if
/// the file cannot be read.
inline std::string describeFile(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return {};
  return path + " " + std::to_string(status.getSize()) + " " +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}

} // namespace flywheel

#endif // FLYWHEEL_LIB_DRIVER_FILESTAMP_H
