//===- ModuleParts.h - A module as several smaller ones ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM generates code on one thread for one context. A large module is
// therefore split into parts for several threads, each in a context of its own,
// and the object files that these become are merged into one (MergeObjects.h).
// The number of parts and the functions in each one depend only on the module:
// the object is the same on any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_MODULEPARTS_H
#define FLYWHEEL_LIB_TARGET_OBJECT_MODULEPARTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace flywheel {

class ModuleParts {
public:
  /// Decides how to split `module`, on which all passes across functions have
  /// run. A module that is small, or has comdats, assembly or tables of
  /// constructors, is one part, and stays as it is. In others, local functions
  /// and variables become hidden, because other parts refer to them:
  /// `getLocalNames()` has their names.
  static ModuleParts split(llvm::Module &module);

  unsigned size() const { return numParts; }
  const llvm::StringSet<> &getLocalNames() const { return localNames; }

  /// Loads a part as a module in `context`. May be called from several threads.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  load(unsigned part, llvm::LLVMContext &context) const;
  /// Removes from the module that was split all that is not in the first part,
  /// which has the variables.
  void keepFirst(llvm::Module &module) const;

private:
  void makeVisible(llvm::Module &module);
  void keep(unsigned part, llvm::Module &module) const;

  unsigned numParts = 1;
  /// The part of each function that the module defines, in its order.
  llvm::SmallVector<unsigned> partOfFunction;
  llvm::StringSet<> localNames;
  llvm::SmallVector<char, 0> bitcode;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_MODULEPARTS_H
