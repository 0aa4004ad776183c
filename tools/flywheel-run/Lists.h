//===- Lists.h - Lists of numbers on the command line -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_LISTS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_LISTS_H

#include "flywheel/Runtime/DType.h"
#include "flywheel/Runtime/Status.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace flywheel::run {

/// The shape of a list and its elements in row-major order, as they are
/// written.
struct NumberList {
  runtime::Shape shape;
  std::vector<llvm::StringRef> elements;
};

/// Returns true if `text` is meant as a list: it begins with `[`, or with a
/// number or a truth value and a comma.
bool isList(llvm::StringRef text);

/// Reads `1,2,3`, `[1,2,3]` or, to any depth up to 32, `[[1,2],[3,4]]`, with or
/// without spaces. The caller parses the elements. Errors: kInvalidArgument if
/// lists beside each other differ in length, if one contains lists and another
/// does not, or if `text` is not a list.
runtime::Result<NumberList> parseList(llvm::StringRef text);

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_LISTS_H
