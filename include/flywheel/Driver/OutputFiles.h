//===- OutputFiles.h - Files that a tool writes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_OUTPUTFILES_H
#define FLYWHEEL_DRIVER_OUTPUTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace flywheel {

/// Returns true if two paths name one file, which need not exist.
bool isSameFile(llvm::StringRef one, llvm::StringRef other);

/// Returns true if writing `path` creates a file of that name: false for
/// standard output, a device or a pipe.
bool becomesRegularFile(llvm::StringRef path);

/// Fails where `output` is one of the files that the tool reads. Empty paths
/// and `-` are not files.
llvm::Error checkOutput(llvm::StringRef output,
                        llvm::ArrayRef<llvm::StringRef> inputs);

/// A file that cannot be opened or written. Its message names it.
class OutputFileError : public llvm::ErrorInfo<OutputFileError> {
public:
  // The name that ErrorInfo wants.
  static char ID; // NOLINT(readability-identifier-naming)

  OutputFileError(llvm::StringRef path, std::error_code code, bool isOpen)
      : path(path), code(code), isOpen(isOpen) {}

  const std::string &getPath() const { return path; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return code; }

private:
  std::string path;
  std::error_code code;
  bool isOpen;
};

/// Files that are written together: all of them, or none.
class OutputFiles {
public:
  /// `path` is `-` for standard output.
  void add(llvm::StringRef path, llvm::StringRef contents);

  /// Writes what was added. After an error no file has changed, but for devices
  /// and pipes. Errors: OutputFileError.
  llvm::Error write() const;

private:
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_OUTPUTFILES_H
