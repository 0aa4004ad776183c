//===- CacheKey.cpp - What a compiled program depends on ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileStamp.h"
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Driver/ModuleDigest.h"
#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Driver/Plugins.h"
#include "flywheel/Driver/ProgramCache.h"

#include "mlir/InitAllDialects.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;
using llvm::StringRef;

namespace flywheel {
namespace {
/// Computes a digest of values with their names. Lengths separate neighbours.
class KeyBuilder {
public:
  void add(StringRef name, StringRef value) {
    for (StringRef text : {name, value}) {
      digest.update(std::to_string(text.size()) + ":");
      digest.update(text);
    }
  }
  void addNumber(StringRef name, int64_t value) {
    add(name, StringRef(std::to_string(value)));
  }
  template <typename Range> void addAll(StringRef name, const Range &values) {
    addNumber(name, values.size());
    for (const std::string &value : values)
      add(name, StringRef(value));
  }
  void addValue(StringRef name, const OptionValue &value) {
    // Equal texts of other kinds differ.
    addNumber(name, value.index());
    if (const auto *texts = std::get_if<std::vector<std::string>>(&value))
      addAll(name, *texts);
    else if (const auto *text = std::get_if<std::string>(&value))
      add(name, StringRef(*text));
    else if (const int64_t *number = std::get_if<int64_t>(&value))
      addNumber(name, *number);
    else if (const bool *flag = std::get_if<bool>(&value))
      addNumber(name, *flag);
  }
  std::string get() { return llvm::toHex(digest.final(), /*LowerCase=*/true); }

private:
  llvm::SHA256 digest;
};
} // namespace

/// Describes the file that has the code at `address`, as `describeFile` does;
/// empty if it is not found.
static std::string describeFileOf(void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return {};
  // For the program itself, `dli_fname` is the name by which it was called,
  // relative to an unknown folder.
  return describeFile(StringRef(info.dli_fname).starts_with("/")
                          ? info.dli_fname
                          : llvm::sys::fs::getMainExecutable(nullptr, address));
}

/// Identifies this build of the compiler: returns the path, size and
/// modification time of its file and of the libraries that it may be linked
/// with. Returns an empty string if one of them is not found.
static std::string describeCompiler() {
  std::string text;
  for (void *address :
       {reinterpret_cast<void *>(&getCacheKey),
        reinterpret_cast<void *>(
            static_cast<void (*)(DialectRegistry &)>(&registerAllDialects)),
        reinterpret_cast<void *>(&llvm::sys::getProcessTriple)}) {
    std::string file = describeFileOf(address);
    if (file.empty())
      return {};
    text += file + "\n";
  }
  return text;
}

/// Returns the same for the library that has the back end, which may be a
/// program's own.
static std::string describeLibrary(const Backend &backend) {
  static std::mutex mutex;
  static llvm::StringMap<std::string> libraries;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::StringRef name = backend.getInfo().name;
  auto [entry, isNew] = libraries.try_emplace(name);
  // The name is a constant of the library.
  if (isNew)
    entry->second = describeFileOf(const_cast<char *>(name.data()));
  return entry->second;
}

/// Adds the target of the machine code to the key. Returns false if LLVM has no
/// such target, or if the current folder, which line tables contain, is not
/// known.
static bool addTarget(KeyBuilder &key, const CompilerOptions &options) {
  CodegenOptions codegen = options.cache->codegen;
  codegen.target = options.target;
  auto machine = createTargetMachine(codegen);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return false;
  }
  key.add("triple", StringRef((*machine)->getTargetTriple().str()));
  key.add("cpu", (*machine)->getTargetCPU());
  key.add("features", (*machine)->getTargetFeatureString());
  MachineSizes sizes = getMachineSizes(options.target);
  key.addNumber("l1-bytes", sizes.l1Bytes);
  key.addNumber("l2-bytes", sizes.l2Bytes);
  key.addNumber("cores", sizes.cores);
  key.addNumber("opt-level", codegen.optimizationLevel);
  key.addNumber("loop-vectorize", codegen.loopVectorize);
  key.addNumber("slp-vectorize", codegen.slpVectorize);
  key.addNumber("line-tables", codegen.lineTables);
  key.addNumber("detached", codegen.detachesConstants);
  if (codegen.lineTables) {
    llvm::SmallString<128> folder;
    if (llvm::sys::fs::current_path(folder))
      return false;
    key.add("folder", folder.str());
  }
  return true;
}

std::string getCacheKey(ModuleOp module, const CompilerOptions &options,
                        bool hasLocations, std::string &note) {
  const Backend &backend = getBackend(options);
  if (!backend.getFeatures().keepsPrograms)
    note =
        ("not used for the target '" + options.target.getDevice() + "'").str();
  for (const OptionInfo &option : getOptionTable())
    if (option.inKey == OptionInKey::NotKept && option.isGiven(options))
      note = "not used with --" + option.getFlag();
  if (!options.stopAfter.empty())
    note = "not used for the output of a stage";
  // Finding the files takes milliseconds, and those of a process do not change.
  static const std::string compiler = describeCompiler();
  if (compiler.empty())
    note = "not used, as the files of this compiler cannot be read";
  std::vector<std::string> plugins = getPluginFiles();
  if (llvm::is_contained(plugins, ""))
    note = "not used, as the file of a plugin could not be read";
  KeyBuilder key;
  std::string library = describeLibrary(backend);
  if (library.empty())
    note = "not used, as there is no telling which back end this is";
  if (!note.empty() || !addTarget(key, options))
    return {};
  key.add("compiler", compiler);
  key.addAll("plugins", plugins);
  key.add("backend-library", library);
  key.add("backend", backend.getInfo().name);
  key.add("device", options.target.getDevice());
  CompilerOptions used = options;
  used.threads.given = options.threads.get();
  for (const OptionInfo &option : getOptionTable())
    if (option.inKey == OptionInKey::Value)
      key.addValue(option.name, option.get(used));
  key.addNumber("c-interface", options.cInterface);
  key.addNumber("flush-denormals", options.flushDenormals);
  key.addNumber("file-prefix-map", options.filePrefixMap.has_value());
  key.addAll("file-prefixes",
             options.filePrefixMap.value_or(std::vector<std::string>()));
  key.addNumber("locations", hasLocations);
  key.add("module", StringRef(getModuleDigest(module, hasLocations)));
  return key.get();
}

} // namespace flywheel
