//===- Feeds.h - Arrays that the command line describes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H

#include "flywheel/Driver/Trainer.h"

#include <map>

namespace flywheel::run {

/// What --feed says: the text after `NAME=`, by name.
using FeedTexts = std::map<std::string, std::string>;

/// Splits `NAME=VALUE` texts. Errors: kInvalidArgument for a text without `=`
/// and for a name that comes twice.
runtime::Result<FeedTexts>
parseFeedTexts(llvm::ArrayRef<std::string> arguments);

/// Makes the array that `text` describes for `feed`:
///   zeros[:SHAPE], ones[:SHAPE], NUMBER[:SHAPE], random[:SHAPE[:BOUND]],
///   FILE:COLUMN
/// Without SHAPE (`32x64`) it is the feed's, in which `unknownExtent` stands
/// for every extent that is not fixed. random is in [0, BOUND): by default 1,
/// or 2 for integers; it depends on `seed` and the feed's name. A feed of strings
/// has `text` itself as every element. Errors:
/// kInvalidArgument; those of reading a file.
runtime::Result<OwnedArray> makeFeed(const ArgumentSpec &feed,
                                     const std::string &text,
                                     int64_t unknownExtent, uint64_t seed);

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_FEEDS_H
