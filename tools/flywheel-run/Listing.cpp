//===- Listing.cpp - What a model has, and arrays -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "flywheel/Runtime/FormatTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using flywheel::runtime::Shape;

namespace flywheel::run {

void printArray(const std::string &name, const ArrayView &array) {
  Shape shape(array.shape.begin(), array.shape.end());
  llvm::outs() << name << "  " << runtime::numpyName(array.dtype) << "  "
               << runtime::formatShape(shape) << "\n";
  runtime::formatTensor(array.dtype, shape, array.data,
                        [](const std::string &text) { llvm::outs() << text; });
}

static void printArguments(llvm::StringRef title,
                           llvm::ArrayRef<ArgumentSpec> arguments) {
  for (const ArgumentSpec &argument : arguments)
    llvm::outs() << "  " << title << " " << argument.name << "  "
                 << runtime::numpyName(argument.dtype) << "  "
                 << argument.shapeText << "\n";
}

void listProgram(const Program &program) {
  llvm::outs() << "model " << program.getManifest().model << "\n";
  for (const EntrySpec &entry : program.getEntries()) {
    llvm::outs() << "entry " << entry.manifest->name << "\n";
    printArguments("feed  ", entry.feeds);
    printArguments("result", entry.results);
  }
  for (auto [variable, manifest] : llvm::zip_equal(
           program.getVariables(), program.getManifest().variables)) {
    llvm::outs() << "variable " << variable.name << "  "
                 << runtime::numpyName(variable.dtype) << "  "
                 << runtime::formatShape(variable.shape);
    for (const std::string &note : manifest.describe())
      llvm::outs() << "  " << note;
    llvm::outs() << "\n";
  }
}

} // namespace flywheel::run
