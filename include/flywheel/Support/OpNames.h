//===- OpNames.h - The ops that a user wrote --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op is lowered to has its location, and so may have its name: an error
// then names the op that is in the source.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_OPNAMES_H
#define FLYWHEEL_SUPPORT_OPNAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace flywheel {

/// The name of the op that `location` is of; empty where it has none. Of an op
/// in a function that was called, it is that of the op there.
inline llvm::StringRef getOpName(mlir::Location location) {
  llvm::StringRef name;
  location->walk([&](mlir::Location part) {
    auto fused = llvm::dyn_cast<mlir::FusedLoc>(part);
    auto text =
        fused ? llvm::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata())
              : mlir::StringAttr();
    if (text)
      name = text.getValue();
    // A place without a name in front of the first name has none.
    return text || llvm::isa<mlir::FileLineColLoc>(part)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  return name;
}

/// The name of the op in the source that `op` is, or was made for.
inline llvm::StringRef getSourceOpName(mlir::Operation *op) {
  llvm::StringRef name = getOpName(op->getLoc());
  return name.empty() ? op->getName().getStringRef() : name;
}

/// Gives the location of `op` its name, unless it has one.
inline void nameLocation(mlir::Operation *op) {
  mlir::MLIRContext *context = op->getContext();
  if (!llvm::isa<mlir::UnknownLoc>(op->getLoc()) &&
      getOpName(op->getLoc()).empty())
    op->setLoc(mlir::FusedLoc::get(
        context, op->getLoc(),
        mlir::StringAttr::get(context, op->getName().getStringRef())));
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_OPNAMES_H
