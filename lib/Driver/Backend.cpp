//===- Backend.cpp - Back ends by name ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Backend.h"
#include "Backends/Backends.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <vector>

using namespace mlir;

namespace flywheel {

Backend::~Backend() = default;

LogicalResult Backend::checkOptions(ModuleOp module,
                                    const CompilerOptions &options) const {
  int64_t threads = options.threads.get();
  if (getFeatures().sharesSteps || threads == 1)
    return success();
  return emitError(module->getLoc())
         << "expected one thread for the target '" << options.target.getDevice()
         << "', found " << threads
         << ": threads share the steps of CPU targets only";
}

static std::vector<std::unique_ptr<Backend>> &getRegistry() {
  static std::vector<std::unique_ptr<Backend>> registry = [] {
    std::vector<std::unique_ptr<Backend>> ours;
    ours.push_back(createCPUBackend());
    ours.push_back(createReferenceBackend());
    ours.push_back(createGPUBackend());
    return ours;
  }();
  return registry;
}

/// True once somebody has looked for a back end: another one could change what
/// they found, and its registration move what they look at.
static std::atomic<bool> hasBeenRead = false;

llvm::Error registerBackend(std::unique_ptr<Backend> backend) {
  const BackendInfo &info = backend->getInfo();
  if (hasBeenRead)
    return llvm::createStringError(
        "expected the back end '" + info.name +
        "' to be registered before the first compilation");
  for (const std::unique_ptr<Backend> &other : getRegistry()) {
    if (other->getInfo().name == info.name)
      return llvm::createStringError("there is a back end '" + info.name +
                                     "' already");
    if (other->getInfo().lowering == info.lowering &&
        other->takesDevice(info.exampleDevice))
      return llvm::createStringError(
          "expected a device of its own for the back end '" + info.name +
          "', found '" + info.exampleDevice + "', which the back end '" +
          other->getInfo().name + "' takes");
  }
  getRegistry().push_back(std::move(backend));
  return llvm::Error::success();
}

ArrayRef<std::unique_ptr<Backend>> getBackends() {
  hasBeenRead = true;
  return getRegistry();
}

llvm::Expected<const Backend *>
findBackendOfDevice(const TargetOptions &options, StringRef name) {
  StringRef device = options.getDevice();
  for (const std::unique_ptr<Backend> &backend : getBackends())
    if ((name.empty() || name == backend->getInfo().name) &&
        backend->takesDevice(device))
      return backend.get();
  if (name.empty())
    return llvm::createStringError(describeWrongDevice(device) + "expected " +
                                   listDevices());
  std::string known;
  for (const std::unique_ptr<Backend> &backend : getBackends())
    if (backend->takesDevice(device))
      known += (known.empty() ? "" : ", ") + backend->getInfo().name.str();
  return llvm::createStringError(
      "expected the name of a back end that takes the device '" + device +
      "' (" + (known.empty() ? "there is none" : known) + "), found '" + name +
      "'");
}

static StringRef getName(Lowering lowering) {
  return lowering == Lowering::Reference ? "reference" : "optimized";
}

std::string describeWrongDevice(StringRef device) {
  return ("'" + device + "' is not a device such as cuda:sm_90a: ").str();
}

std::string listDevices() {
  SmallVector<StringRef> devices;
  for (const std::unique_ptr<Backend> &backend : getBackends())
    if (!llvm::is_contained(devices, backend->getInfo().devices))
      devices.push_back(backend->getInfo().devices);
  return llvm::join(devices, ", ");
}

llvm::Expected<const Backend *> findBackend(const CompilerOptions &options) {
  StringRef device = options.target.getDevice();
  Lowering lowering = options.lowering.value_or(Lowering::Optimized);
  const Backend *ofDevice = nullptr, *ofLowering = nullptr;
  for (const std::unique_ptr<Backend> &backend : getBackends()) {
    bool takesDevice = backend->takesDevice(device);
    bool hasLowering = backend->getInfo().lowering == lowering;
    if (takesDevice && hasLowering)
      return backend.get();
    if (takesDevice && !ofDevice)
      ofDevice = backend.get();
    if (hasLowering && !ofLowering)
      ofLowering = backend.get();
  }
  if (!ofDevice)
    return llvm::createStringError(describeWrongDevice(device) + "expected " +
                                   listDevices());
  return llvm::createStringError(
      "expected the " + getName(ofDevice->getInfo().lowering) +
      " lowering for the target '" + device + "', found the " +
      getName(lowering) + ", which is of the target '" +
      ofLowering->getInfo().exampleDevice + "'");
}

const Backend &getBackend(const CompilerOptions &options) {
  return *llvm::cantFail(findBackend(options));
}

} // namespace flywheel
