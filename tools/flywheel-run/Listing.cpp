//===- Listing.cpp - What a model has, and arrays -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "flywheel/Runtime/FormatTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
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

/// Returns the shape as a tuple, with the names by which sizes are bounded.
static std::string describeShape(const ManifestArgument &argument,
                                 llvm::ArrayRef<std::string> symbols) {
  llvm::SmallVector<std::string> dims;
  for (auto [size, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols))
    dims.push_back(symbol < 0 ? std::to_string(size) : symbols[symbol]);
  return "(" + llvm::join(dims, ", ") + (dims.size() == 1 ? ",)" : ")");
}

static void printArguments(llvm::StringRef title,
                           llvm::ArrayRef<ArgumentSpec> arguments,
                           llvm::ArrayRef<ManifestArgument> manifest,
                           llvm::ArrayRef<std::string> symbols) {
  for (auto [argument, record] : llvm::zip_equal(arguments, manifest))
    llvm::outs() << "  " << title << " " << argument.name << "  "
                 << runtime::numpyName(argument.dtype) << "  "
                 << describeShape(record, symbols) << "\n";
}

void listProgram(const Program &program) {
  llvm::outs() << "model " << program.getManifest().model << "\n";
  for (const EntrySpec &entry : program.getEntries()) {
    llvm::outs() << "entry " << entry.manifest->name << "\n";
    printArguments("feed  ", entry.feeds, entry.manifest->feeds,
                   entry.manifest->symbols);
    printArguments("result", entry.results, entry.manifest->results,
                   entry.manifest->symbols);
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
