//===- OutputFiles.cpp - Files that a tool writes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/OutputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace flywheel;
namespace fs = llvm::sys::fs;

static bool isFile(StringRef path) { return !path.empty() && path != "-"; }

bool flywheel::isSameFile(StringRef one, StringRef other) {
  if (!isFile(one) || !isFile(other))
    return false;
  bool isSame = false;
  if (!fs::equivalent(one, other, isSame))
    return isSame;
  auto getFolder = [](StringRef path) {
    StringRef folder = sys::path::parent_path(path);
    return folder.empty() ? StringRef(".") : folder;
  };
  return sys::path::filename(one) == sys::path::filename(other) &&
         !fs::equivalent(getFolder(one), getFolder(other), isSame) && isSame;
}

bool flywheel::becomesRegularFile(StringRef path) {
  return isFile(path) && (!fs::exists(path) || fs::is_regular_file(path));
}

Error flywheel::checkOutput(StringRef output, ArrayRef<StringRef> inputs) {
  // Writing to a device or a pipe loses no data.
  if (!becomesRegularFile(output))
    return Error::success();
  for (StringRef input : inputs)
    if (isSameFile(output, input))
      return createStringError("expected an output other than the input '" +
                               input + "', found '" + output + "'");
  return Error::success();
}

void OutputFiles::add(StringRef path, StringRef contents) {
  files.emplace_back(path.str(), contents.str());
}

char OutputFileError::ID;

void OutputFileError::log(raw_ostream &os) const {
  os << (isOpen ? "cannot write '" : "cannot open output file '") << path
     << "': " << code.message();
}

static Error makeError(StringRef path, std::error_code error,
                       bool isOpen = false) {
  return make_error<OutputFileError>(path, error, isOpen);
}

/// Writes to a file that is not a regular one.
static Error writeThrough(StringRef path, StringRef contents) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (error)
    return makeError(path, error);
  stream << contents;
  stream.flush();
  error = stream.error();
  stream.clear_error();
  if (error)
    return makeError(path, error, /*isOpen=*/true);
  return Error::success();
}

/// Creates a file beside `path` with the contents.
static Expected<fs::TempFile> writeTemporary(StringRef path,
                                             StringRef contents) {
  if (fs::exists(path) && !fs::can_write(path))
    return makeError(path, make_error_code(errc::permission_denied));
  Expected<fs::TempFile> file =
      fs::TempFile::create(path + ".tmp-%%%%%%", fs::all_read | fs::all_write);
  if (!file)
    return makeError(path, errorToErrorCode(file.takeError()));
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    return file;
  consumeError(file->discard());
  return makeError(path, error, /*isOpen=*/true);
}

Error OutputFiles::write() const {
  std::vector<std::pair<std::string, fs::TempFile>> temporaries;
  auto discard = [&](Error error) {
    for (auto &[path, file] : temporaries)
      consumeError(file.discard());
    return error;
  };
  for (const auto &[path, contents] : files) {
    if (!becomesRegularFile(path))
      continue;
    // Changes the target of a link, and keeps the link.
    SmallString<128> target;
    if (fs::real_path(path, target))
      target = path;
    Expected<fs::TempFile> file = writeTemporary(target, contents);
    if (!file)
      return discard(file.takeError());
    temporaries.emplace_back(target.str().str(), std::move(*file));
  }
  for (const auto &[path, contents] : files)
    if (!becomesRegularFile(path))
      if (Error error = writeThrough(path, contents))
        return discard(std::move(error));
  for (auto &[path, file] : temporaries)
    if (Error error = file.keep(path))
      return discard(makeError(path, errorToErrorCode(std::move(error)),
                               /*isOpen=*/true));
  return Error::success();
}
