//===- Plugins.cpp - Dialects and passes of other projects ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Plugins.h"
#include "FileStamp.h"
#include "flywheel/Driver/OptionNames.h"
#include "flywheel/Driver/PluginVersion.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace flywheel {
namespace {
/// The plugins of this process.
struct LoadedPlugins {
  std::mutex mutex;
  std::vector<DialectPlugin> dialects;
  /// By path, the file as it was when it was loaded.
  llvm::MapVector<std::string, std::string, llvm::StringMap<unsigned>> files;
};
} // namespace

static LoadedPlugins &getLoaded() {
  static LoadedPlugins loaded;
  return loaded;
}

#ifdef FLYWHEEL_STATIC_UPSTREAM
static llvm::Error checkLibrary(const std::string &, const char *) {
  return llvm::createStringError(
      "this build of Flywheel has LLVM and MLIR linked in, as wheels do "
      "(FLYWHEEL_STATIC_UPSTREAM); plugins need a build that shares them");
}
#else
/// Lets libraries that are loaded later find our symbols, and those of the
/// libraries that we use, also if this code is in a library that was loaded for
/// itself alone, as modules of Python are.
static void showSymbols() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&showSymbols), &info) && info.dli_fname)
    // Fails for the program itself, whose symbols everyone sees.
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/// Loads the library at `path` and checks that it defines `function`. Without
/// it upstream loads a library that lacks symbols, and the process ends where
/// one is first called.
static llvm::Error checkLibrary(const std::string &path, const char *function) {
  showSymbols();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError(dlerror());
  if (!dlsym(library, function))
    return llvm::createStringError(llvm::Twine("it does not define '") +
                                   function + "'");
  return llvm::Error::success();
}
#endif

/// Loads the plugin at `given`, whose entry point is `function`, and calls
/// `use` with it and what is loaded.
template <typename Plugin>
static llvm::Error
load(StringRef given, const char *function,
     llvm::function_ref<void(const Plugin &, LoadedPlugins &)> use) {
  auto refuse = [&](const llvm::Twine &reason) {
    return llvm::createStringError("expected a plugin, found '" + given +
                                   "': " + reason);
  };
  // A path of a file, as all others are: not a name that is searched for.
  llvm::SmallString<128> absolute(given);
  if (std::error_code error = llvm::sys::fs::make_absolute(absolute))
    return refuse(error.message());
  std::string path = absolute.str().str(), file = describeFile(path);
  LoadedPlugins &loaded = getLoaded();
  std::lock_guard<std::mutex> lock(loaded.mutex);
  // The system would return the library that it has in memory.
  if (loaded.files.contains(path) && loaded.files[path] != file)
    return refuse("it has been loaded, and its file has changed since then: "
                  "start another process");
  if (llvm::Error error = checkLibrary(path, function))
    return refuse(llvm::toString(std::move(error)));
  llvm::Expected<Plugin> plugin = Plugin::load(path);
  if (!plugin)
    return refuse(llvm::toString(plugin.takeError()));
  // A plugin may use MLIR's headers alone.
  StringRef version = plugin->getPluginVersion();
  if (version != LLVM_VERSION_STRING && version != FLYWHEEL_PLUGIN_VERSION)
    return refuse("expected FLYWHEEL_PLUGIN_VERSION, which is '" +
                  llvm::Twine(FLYWHEEL_PLUGIN_VERSION) +
                  "', as its version, found '" + version +
                  "': compile it with the headers of this build");
  loaded.files.try_emplace(std::move(path), std::move(file));
  use(*plugin, loaded);
  return llvm::Error::success();
}

llvm::Error loadDialectPlugin(StringRef path) {
  return load<DialectPlugin>(
      path, "mlirGetDialectPluginInfo",
      [](const DialectPlugin &plugin, LoadedPlugins &loaded) {
        loaded.dialects.push_back(plugin);
      });
}

llvm::Error loadPassPlugin(StringRef path) {
  return load<PassPlugin>(path, "mlirGetPassPluginInfo",
                          [](const PassPlugin &plugin, LoadedPlugins &) {
                            plugin.registerPassRegistryCallbacks();
                          });
}

void registerPluginDialects(DialectRegistry &registry) {
  LoadedPlugins &loaded = getLoaded();
  std::lock_guard<std::mutex> lock(loaded.mutex);
  for (const DialectPlugin &plugin : loaded.dialects)
    plugin.registerDialectRegistryCallbacks(registry);
}

std::vector<std::string> getPluginFiles() {
  LoadedPlugins &loaded = getLoaded();
  std::lock_guard<std::mutex> lock(loaded.mutex);
  auto files = llvm::make_second_range(loaded.files);
  return {files.begin(), files.end()};
}

//===----------------------------------------------------------------------===//
// Options of tools
//===----------------------------------------------------------------------===//

namespace {
/// Loads a plugin when the option is read: an error is one of the command line.
template <llvm::Error (*loadPlugin)(StringRef)>
class PluginParser : public cl::parser<std::string> {
public:
  using parser::parser;

  /// \returns true after an error, as parsers of options do.
  bool parse(cl::Option &option, StringRef, StringRef path,
             std::string &value) {
    if (llvm::Error error = loadPlugin(path))
      return option.error(llvm::toString(std::move(error)));
    value = path.str();
    return false;
  }
};
} // namespace

template <llvm::Error (*loadPlugin)(StringRef)>
using PluginOption = cl::list<std::string, bool, PluginParser<loadPlugin>>;

void registerPluginOptions(cl::OptionCategory &category) {
  static PluginOption<loadDialectPlugin> dialects(
      takeOptionName("load-dialect-plugin"), cl::value_desc("file"),
      cl::cat(category),
      cl::desc("Load dialects from this plugin, a shared library"));
  static PluginOption<loadPassPlugin> passes(
      takeOptionName("load-pass-plugin"), cl::value_desc("file"),
      cl::cat(category),
      cl::desc("Load passes from this plugin, a shared library"));
}

} // namespace flywheel
