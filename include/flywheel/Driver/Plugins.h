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

/// Loads the plugin of dialects at `path`. Dialect registries that are filled
/// later have its dialects. Fails with an error that names the file if (1) it
/// does not exist, (2) it has no entry point for dialects, (3) it needs a
/// symbol that the program lacks, (4) it was loaded before and has changed
/// since, (5) it was compiled with headers of another version
/// (PluginVersion.h), or (6) this build cannot load plugins.
llvm::Error loadDialectPlugin(llvm::StringRef path);

/// Loads the plugin at `path` and registers its passes by their names. Errors
/// are those of loadDialectPlugin().
llvm::Error loadPassPlugin(llvm::StringRef path);

/// Adds the dialects of the plugins that are loaded.
void registerPluginDialects(mlir::DialectRegistry &registry);

/// Identifies the plugins of this process, in the order in which they were
/// loaded: returns the path, size and modification time of the file of each, as
/// they were when it was loaded.
std::vector<std::string> getPluginFiles();

/// Registers `--load-dialect-plugin` and `--load-pass-plugin`, in place of
/// upstream's if a tool has these, which go on without a plugin that they
/// cannot load. A plugin is loaded where it stands on the command line.
void registerPluginOptions(llvm::cl::OptionCategory &category);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PLUGINS_H
