//===- PerfMap.cpp - Names of generated code for perf ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace llvm;

namespace flywheel {

Expected<bool> isPerfMapRequested() {
  const char *text = std::getenv("FLYWHEEL_PERF_MAP");
  StringRef value = text ? text : "";
  if (value.empty() || value == "0")
    return false;
  if (value == "1")
    return true;
  return createStringError("expected FLYWHEEL_PERF_MAP to be 0 or 1, found '" +
                           value + "'");
}

namespace {
/// The map of this process. Others may write to it as well, such as the Python
/// that this compiler is a module of: lines are appended, each link's at once.
class PerfMapFile {
public:
  PerfMapFile(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}
  ~PerfMapFile() { close(descriptor); }
  PerfMapFile(const PerfMapFile &) = delete;
  PerfMapFile &operator=(const PerfMapFile &) = delete;

  Error append(StringRef text) const {
    while (!text.empty()) {
      ssize_t written = write(descriptor, text.data(), text.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return createStringError("cannot write '" + path + "': " +
                                 std::generic_category().message(errno));
      text = text.drop_front(written);
    }
    return Error::success();
  }

private:
  std::string path;
  int descriptor;
};

/// Writes lines once the addresses of a linked object are known.
class PerfMapPlugin : public orc::ObjectLinkingLayer::Plugin {
public:
  explicit PerfMapPlugin(std::shared_ptr<const PerfMapFile> file)
      : file(std::move(file)) {}

  void modifyPassConfig(orc::MaterializationResponsibility &,
                        jitlink::LinkGraph &,
                        jitlink::PassConfiguration &config) override {
    // Calls within a section need no symbol: the linker would drop kernels'.
    config.PrePrunePasses.push_back([](jitlink::LinkGraph &graph) {
      for (jitlink::Symbol *symbol : graph.defined_symbols())
        if (symbol->isCallable())
          symbol->setLive(true);
      return Error::success();
    });
    config.PostFixupPasses.push_back([file = file](jitlink::LinkGraph &graph) {
      return file->append(listFunctions(graph));
    });
  }
  Error notifyFailed(orc::MaterializationResponsibility &) override {
    return Error::success();
  }
  // A map only grows: an address that is used again is named again.
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override {
    return Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey,
                                   orc::ResourceKey) override {}

private:
  static std::string listFunctions(jitlink::LinkGraph &graph) {
    SmallVector<jitlink::Symbol *> functions;
    for (jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->isCallable() && symbol->hasName() && symbol->getSize() > 0)
        functions.push_back(symbol);
    llvm::sort(functions, [](jitlink::Symbol *first, jitlink::Symbol *second) {
      return first->getAddress() < second->getAddress();
    });
    std::string lines;
    raw_string_ostream os(lines);
    for (jitlink::Symbol *symbol : functions)
      os << formatv("{0:x-} {1:x-} {2}\n", symbol->getAddress().getValue(),
                    symbol->getSize(), *symbol->getName());
    return lines;
  }

  std::shared_ptr<const PerfMapFile> file;
};
} // namespace

Error writePerfMap(orc::LLJIT &jit) {
  auto *layer = dyn_cast<orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer());
  if (!layer)
    return createStringError("cannot write a map for perf for '" +
                             jit.getTargetTriple().str() +
                             "', whose code another linker loads");
  std::string path =
      formatv("/tmp/perf-{0}.map", sys::Process::getProcessId()).str();
  // Everybody may write to the folder, so do not follow a link that somebody
  // has created there.
  int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
           S_IRUSR | S_IWUSR);
  if (descriptor < 0)
    return createStringError("cannot write '" + path +
                             "': " + std::generic_category().message(errno));
  layer->addPlugin(std::make_shared<PerfMapPlugin>(
      std::make_shared<PerfMapFile>(std::move(path), descriptor)));
  return Error::success();
}

} // namespace flywheel
