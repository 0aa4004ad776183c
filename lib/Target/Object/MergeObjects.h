//===- MergeObjects.h - Several object files as one -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_MERGEOBJECTS_H
#define FLYWHEEL_LIB_TARGET_OBJECT_MERGEOBJECTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace flywheel {

/// Merges several relocatable object files to one, like `ld -r`: sections of
/// one name follow each other, and symbols that one file defines and another
/// one needs are one symbol. Those of `localNames` are then local.
///
/// The files are ELF, 64 bits, little endian, with addends in relocations, and
/// of one machine. Errors: other files; sections in groups, or with an order;
/// symbols that two files define.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mergeObjects(llvm::ArrayRef<llvm::MemoryBufferRef> objects,
             const llvm::StringSet<> &localNames, llvm::StringRef name);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_MERGEOBJECTS_H
