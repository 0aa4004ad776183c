//===- Plugins.cpp - Options that load plugins ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plugins.h"

#include "flywheel/Driver/OptionNames.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

static DialectRegistry *dialects;

static void add(const PassPlugin &plugin) {
  plugin.registerPassRegistryCallbacks();
}

static void add(const DialectPlugin &plugin) {
  plugin.registerDialectRegistryCallbacks(*dialects);
}

namespace {
/// Loads a plugin at once: options after it may be names of its passes.
template <typename Plugin> class PluginParser : public cl::parser<std::string> {
public:
  using parser::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(cl::Option &option, StringRef, StringRef path,
             std::string &value) {
    llvm::Expected<Plugin> plugin = Plugin::load(path.str());
    if (!plugin)
      return option.error("expected a plugin, found '" + path +
                          "': " + llvm::toString(plugin.takeError()));
    add(*plugin);
    value = path.str();
    return false;
  }
};
} // namespace

template <typename Plugin>
using PluginOption = cl::list<std::string, bool, PluginParser<Plugin>>;

void flywheel::registerPluginOptions(DialectRegistry &registry) {
  dialects = &registry;
  static PluginOption<PassPlugin> passes(
      takeOptionName("load-pass-plugin"),
      cl::desc("Load passes from plugin library"));
  static PluginOption<DialectPlugin> others(
      takeOptionName("load-dialect-plugin"),
      cl::desc("Load dialects from plugin library"));
}
