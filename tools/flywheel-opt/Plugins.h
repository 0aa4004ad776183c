//===- Plugins.h - Options that load plugins ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_OPT_PLUGINS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_OPT_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Replaces upstream's options that load plugins, which ignore one that they
/// cannot load, by options that refuse it.
void registerPluginOptions(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_TOOLS_FLYWHEEL_OPT_PLUGINS_H
