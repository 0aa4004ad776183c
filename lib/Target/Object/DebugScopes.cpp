//===- DebugScopes.cpp - Source lines of code -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugScopes.h"

#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace flywheel {
namespace {

/// A line of a file; 0 for code that is of no line.
struct Place {
  mlir::StringAttr file;
  unsigned line = 0, column = 0;
};

class DebugScopes {
public:
  explicit DebugScopes(mlir::ModuleOp module);

  void attachTo(mlir::LLVM::LLVMFuncOp function) const;

private:
  /// Returns the place of `location`; `other` if it has none.
  Place findPlace(mlir::Location location, const Place &other) const;
  mlir::LLVM::DIFileAttr getFile(mlir::StringAttr name) const;

  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  mlir::StringAttr directory;
  /// The file of the module, which has the code that has no place.
  mlir::StringAttr moduleFile;
  mlir::LLVM::DICompileUnitAttr unit;
};

} // namespace

DebugScopes::DebugScopes(mlir::ModuleOp module)
    : module(module), context(module.getContext()) {
  SmallString<128> path;
  // Without one, paths are as they are given.
  if (llvm::sys::fs::current_path(path))
    path.clear();
  // If no prefix matches the folder, it is the one in which the debugger runs.
  std::string folder = mapFileName(path, module);
  directory = mlir::StringAttr::get(
      context, folder == llvm::sys::path::filename(path) ? "." : folder);
  auto place = module.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  moduleFile = mlir::StringAttr::get(
      context, place ? mapFileName(place.getFilename(), module) : "-");
  // DWARF has no number for a language that it does not know.
  unit = mlir::LLVM::DICompileUnitAttr::get(
      mlir::DistinctAttr::create(mlir::UnitAttr::get(context)),
      llvm::dwarf::DW_LANG_C, getFile(moduleFile),
      mlir::StringAttr::get(context, "flywheel"),
      /*isOptimized=*/true, mlir::LLVM::DIEmissionKind::LineTablesOnly);
}

mlir::LLVM::DIFileAttr DebugScopes::getFile(mlir::StringAttr name) const {
  return mlir::LLVM::DIFileAttr::get(context, name, directory);
}

Place DebugScopes::findPlace(mlir::Location location,
                             const Place &other) const {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!place)
    return other;
  // Entry points are made for the module as a whole, and not by a line of it.
  auto file =
      mlir::StringAttr::get(context, mapFileName(place.getFilename(), module));
  if (getOpName(location) == mlir::ModuleOp::getOperationName())
    return {file};
  return {file, place.getLine(), place.getColumn()};
}

void DebugScopes::attachTo(mlir::LLVM::LLVMFuncOp function) const {
  if (function.isExternal())
    return;
  Place start = findPlace(function.getLoc(), {moduleFile});
  auto flags = mlir::LLVM::DISubprogramFlags::Definition |
               mlir::LLVM::DISubprogramFlags::Optimized;
  if (function.getLinkage() == mlir::LLVM::Linkage::Internal)
    flags = flags | mlir::LLVM::DISubprogramFlags::LocalToUnit;
  mlir::LLVM::DIFileAttr file = getFile(start.file);
  auto subprogram = mlir::LLVM::DISubprogramAttr::get(
      context, mlir::DistinctAttr::create(mlir::UnitAttr::get(context)), unit,
      file, function.getNameAttr(), function.getNameAttr(), file, start.line,
      /*scopeLine=*/start.line, flags,
      mlir::LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal,
                                            {}),
      /*retainedNodes=*/{}, /*annotations=*/{});

  // A line is in the file of its scope: another file has a scope of its own.
  auto makeLocation = [&](const Place &place) -> mlir::Location {
    mlir::Location line =
        mlir::FileLineColLoc::get(place.file, place.line, place.column);
    if (place.file == start.file)
      return line;
    return mlir::FusedLoc::get(context, line,
                               mlir::LLVM::DILexicalBlockFileAttr::get(
                                   context, subprogram, getFile(place.file),
                                   /*discriminator=*/0));
  };
  DenseMap<mlir::Location, mlir::Location> locations;
  function.getBody().walk([&](mlir::Operation *op) {
    auto found = locations.find(op->getLoc());
    // An op without a place, as a constant of several, is in its kernel.
    if (found == locations.end())
      found = locations
                  .insert({op->getLoc(),
                           makeLocation(findPlace(op->getLoc(), start))})
                  .first;
    op->setLoc(found->second);
  });
  function->setLoc(
      mlir::FusedLoc::get(context,
                          mlir::Location(mlir::FileLineColLoc::get(
                              start.file, start.line, start.column)),
                          subprogram));
}

void attachDebugScopes(mlir::ModuleOp module) {
  DebugScopes scopes(module);
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    scopes.attachTo(function);
}

} // namespace flywheel
