//===- AtomicFile.h - Write a file completely or not at all -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_ATOMICFILE_H
#define FLYWHEEL_RUNTIME_ATOMICFILE_H

#include "flywheel/Runtime/Status.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flywheel::runtime {

/// A run of bytes that somebody else owns.
struct ByteSpan {
  const void *data = nullptr;
  /// Bytes.
  size_t size = 0;
};

/// The directory part of \p path, e.g. "." for "a" and "/" for "/a".
std::string parentDirectory(const std::string &path);

/// Returns the part of \p path after the last '/', e.g. "a" for "/b/a" and ""
/// for "b/".
std::string lastComponent(const std::string &path);

/// Returns \p path with its directory absolute and without links: equal for two
/// spellings of one path. The last component stays as it is, and so does a
/// directory that does not exist.
std::string canonicalPath(const std::string &path);

/// Returns true if \p name is one that writeFileAtomically() gives to temporary
/// files, `.flywheel-NUMBER-NUMBER.tmp`. No other file may have such a name.
bool isTemporaryName(std::string_view name);

/// Checks that the directory of \p path exists. Error: kFailedPrecondition
/// `Parent directory of PATH doesn't exist, can't save`.
Status checkParentDirectory(const std::string &path);

/// Checks, before work that ends with it, that a file could be written at
/// \p path: its directory exists and \p path is none itself. Errors: those of
/// writeFileAtomically() for the same reasons.
Status checkSavePath(const std::string &path);

/// Makes \p path a file that holds the concatenation of \p parts. At every
/// moment, also across a crash, \p path is the old file or the complete new
/// one: the bytes go to a temporary file in the same directory, which is
/// flushed to disk and renamed over \p path; then the directory is flushed. A
/// symbolic link at \p path is replaced, not followed.
///
/// Errors: kFailedPrecondition `Parent directory of PATH doesn't exist, can't
/// save`; kInvalidArgument when \p path is empty, a directory or has the name
/// of a temporary file; kIOError with the system's reason otherwise. After an
/// error no temporary file is left and
/// \p path is as before, with one exception: when only the last flush of the
/// directory fails, \p path already is the new file.
Status writeFileAtomically(const std::string &path,
                           const std::vector<ByteSpan> &parts);

/// Removes the temporary files that crashed writers left in \p directory. The
/// files of writers that run, also of other processes and other machines, are
/// locked and stay. If the file system has no locks, all files stay. Files that
/// cannot be removed stay too; they are harmless.
void removeStaleTemporaries(const std::string &directory);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_ATOMICFILE_H
