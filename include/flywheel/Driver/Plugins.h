//===- Plugins.h - Dialects and passes of other projects --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared libraries with the entry points of upstream's plugins
// (mlirGetDialectPluginInfo, mlirGetPassPluginInfo). Every tool and the Python
// module load them here. They find our symbols, and those of MLIR and LLVM, in
// the program that loads them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PLUGINS_H
#define FLYWHEEL_DRIVER_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace flywheel {

/// Loads the plugin at `path`, whose dialects registries that are filled later
/// have. An error names the file: it does not exist, is no plugin of dialects,
/// needs a symbol that the program lacks, or this build loads no plugins.
llvm::Error loadDialectPlugin(llvm::StringRef path);

/// Loads the plugin at `path` and registers its passes by their names. Errors
/// are those of loadDialectPlugin().
llvm::Error loadPassPlugin(llvm::StringRef path);

/// Adds the dialects of the plugins that are loaded.
void registerPluginDialects(mlir::DialectRegistry &registry);

/// Returns the paths of the files of the plugins that are loaded, in the order
/// in which they were.
std::vector<std::string> getPluginPaths();

/// Registers `--load-dialect-plugin` and `--load-pass-plugin`, in place of
/// upstream's if a tool has these, which go on without a plugin that they
/// cannot load. A plugin is loaded where it stands on the command line.
void registerPluginOptions(llvm::cl::OptionCategory &category);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PLUGINS_H
