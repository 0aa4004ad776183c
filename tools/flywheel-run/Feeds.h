//===- Feeds.h - Arrays that the command line describes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H

#include "flywheel/Session/Trainer.h"

#include <map>

namespace flywheel::run {

/// The values of --feed or --set: the text after `NAME=`, by name.
using ValueTexts = std::map<std::string, std::string>;

/// Splits the `NAME=VALUE` texts that were given to `option` (`--feed`).
/// Errors: kInvalidArgument for a text without `=` and for a name that comes
/// twice.
runtime::Result<ValueTexts>
parseValueTexts(llvm::StringRef option, llvm::ArrayRef<std::string> arguments);

/// Returns the error for values of --feed that no entry has.
runtime::Status makeUnusedError(const ValueTexts &unused);

/// Makes the array that `text` describes for a feed or a variable:
///   zeros[:SHAPE], ones[:SHAPE], NUMBER[:SHAPE], random[:SHAPE[:BOUND]],
///   FILE:COLUMN, 1,2,3, [[1,2],[3,4]]
/// A list has the shape in which it is written. Elsewhere, without SHAPE
/// (`32x64`), it is that of `spec`, in which `unknownDimSize` stands for every
/// dimension size that is not fixed. random is in [0, BOUND): by
/// default 1, or 2 for integers; it depends on `seed` and the name. Strings
/// have `text` itself as every element. Errors:
/// kInvalidArgument; those of reading a file.
runtime::Result<OwnedArray> makeArray(const ArgumentSpec &spec,
                                      const std::string &text,
                                      int64_t unknownDimSize, uint64_t seed);

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H
