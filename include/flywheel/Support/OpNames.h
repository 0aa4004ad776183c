//===- OpNames.h - The ops that a user wrote --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of source ops in locations. A lowered op keeps the location of its
// source op, which may also have its name, so that an error names the op of the
// source.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_OPNAMES_H
#define FLYWHEEL_SUPPORT_OPNAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <string>

namespace flywheel {

/// Returns the name of the source op of `location`; empty if it has none. For
/// an op in a function that was called, it is the name of the op there.
inline llvm::StringRef getOpName(mlir::Location location) {
  llvm::StringRef name;
  location->walk([&](mlir::Location part) {
    auto fused = llvm::dyn_cast<mlir::FusedLoc>(part);
    auto text =
        fused ? llvm::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata())
              : mlir::StringAttr();
    if (text)
      name = text.getValue();
    // A place without a name before the first name has none.
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

/// On a module whose output is for other machines: the mapping of file names in
/// the output. A list of `OLD=NEW`: a prefix OLD of a name is replaced by NEW,
/// by the last entry that matches; of any other name, only the last component
/// is kept, so that an output does not depend on the folder of its source.
constexpr llvm::StringLiteral kFilePrefixMapAttrName("train.file_prefix_map");

/// Returns the name of a file in the output of the module around `op`;
/// unchanged if the module has no mapping, or if `op` is null.
inline std::string mapFileName(llvm::StringRef file, mlir::Operation *op) {
  mlir::ArrayAttr map;
  for (; op && !map; op = op->getParentOp())
    map = op->getAttrOfType<mlir::ArrayAttr>(kFilePrefixMapAttrName);
  if (!map)
    return file.str();
  for (mlir::Attribute pair : llvm::reverse(map)) {
    auto [from, to] = llvm::cast<mlir::StringAttr>(pair).getValue().split('=');
    if (file.starts_with(from))
      return (to + file.drop_front(from.size())).str();
  }
  return llvm::sys::path::filename(file).str();
}

/// On a module whose program also serves modules that differ in places: a
/// dictionary from the places to their numbers.
constexpr llvm::StringLiteral kPlacesAttrName("train.places");
/// The byte before and after the number of a place, in texts that the stages
/// build for run time. Bytes 1 to 4 are numbers of the call.
constexpr char kPlaceMark = '\5';

/// Returns the place of `location`, such as `f.mlir:3:8`, for the output of the
/// module around `op`; empty if it has none. If that module numbers its places,
/// returns the number between two marks.
inline std::string formatPlace(mlir::Location location, mlir::Operation *op) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!place)
    return "";
  std::string text = mapFileName(place.getFilename().getValue(), op) + ":" +
                     std::to_string(place.getLine()) + ":" +
                     std::to_string(place.getColumn());
  for (; op; op = op->getParentOp()) {
    auto numbers = op->getAttrOfType<mlir::DictionaryAttr>(kPlacesAttrName);
    if (!numbers)
      continue;
    if (auto number = numbers.getAs<mlir::IntegerAttr>(text))
      return kPlaceMark + std::to_string(number.getInt()) + kPlaceMark;
    break;
  }
  return text;
}

/// `nn.dense at f.mlir:3:8`, the same of an op with the name it has in the
/// source.
inline std::string formatSourceOp(mlir::Operation *op) {
  std::string place = formatPlace(op->getLoc(), op);
  return getSourceOpName(op).str() + (place.empty() ? "" : " at " + place);
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_OPNAMES_H
