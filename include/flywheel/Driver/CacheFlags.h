//===- CacheFlags.h - The program cache on command lines --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_CACHEFLAGS_H
#define FLYWHEEL_DRIVER_CACHEFLAGS_H

#include "flywheel/Driver/ByteSizeOption.h"
#include "flywheel/Driver/ProgramCache.h"
#include "flywheel/Driver/TextOption.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace flywheel {

/// The options of a command line that name the program cache.
class CacheFlags {
public:
  /// Registers the options.
  explicit CacheFlags(llvm::cl::OptionCategory &category)
      : folder("cache-dir", llvm::cl::value_desc("folder"),
               llvm::cl::cat(category),
               llvm::cl::desc(
                   "Keep the compiled program in this folder, and take it from "
                   "there when model, options, compiler and machine are the "
                   "same")),
        size("cache-size", llvm::cl::value_desc("bytes"),
             llvm::cl::cat(category),
             llvm::cl::desc("Bytes that the folder of --cache-dir may have "
                            "(default 1GiB): programs that were not used for "
                            "longest are deleted")) {}

  /// Returns the cache, or nothing if no folder was given. Returns an error for
  /// a size without a folder.
  llvm::Expected<std::optional<ProgramCache>> getCache() const {
    std::optional<int64_t> bytes = getByteSize(size);
    if (!folder.empty())
      return ProgramCache(folder,
                          bytes.value_or(ProgramCache::kDefaultMaxBytes));
    if (bytes)
      return llvm::createStringError("--cache-size needs --cache-dir");
    return std::nullopt;
  }

private:
  TextOption folder;
  ByteSizeOption size;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_CACHEFLAGS_H
