//===- CachedObject.cpp - Object files that are made once -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/ProgramCache.h"
#include "flywheel/Support/LargeStack.h"
#include "flywheel/Target/Object/DetachedData.h"
#include "flywheel/Target/Object/ObjectFile.h"

#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace flywheel {

bool loadFromCache(ModuleOp module, CompiledModule &compiled) {
  if (!compiled.options.cache)
    return false;
  bool hasLocations = !compiled.options.numbersPlaces;
  compiled.cacheKey =
      getCacheKey(module, compiled.options, hasLocations, compiled.cacheNote);
  if (compiled.cacheKey.empty())
    return false;
  const ProgramCache &cache = compiled.options.cache->cache;
  std::optional<ProgramCache::Program> program =
      cache.load(compiled.cacheKey, *module.getContext());
  compiled.saidCacheKey = compiled.cacheKey;
  if (!program && !hasLocations) {
    compiled.saidCacheKey = getCacheKey(
        module, compiled.options, /*hasLocations=*/true, compiled.cacheNote);
    program = cache.load(compiled.saidCacheKey, *module.getContext());
  }
  if (!program)
    return false;
  FailureOr<Manifest> manifest = Manifest::readFrom(*program->module);
  if (failed(manifest))
    return false;
  compiled.manifest = std::move(*manifest);
  compiled.module = std::move(program->module);
  compiled.cacheNote = "found " + program->object->getBufferIdentifier().str();
  compiled.object = std::move(program->object);
  compiled.data = std::move(program->data);
  compiled.dataBytes = std::move(program->bytes);
  sayAgain(program->said);
  return true;
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
generate(CompiledModule &compiled, const CodegenOptions &codegen) {
  if (codegen.detachesConstants &&
      getBackend(compiled.options).getFeatures().runsOnHost)
    compiled.data = detachLargeConstants(*compiled.module);
  llvm::Expected<MachineModule> code =
      MachineModule::create(*compiled.module, codegen, &compiled.times);
  if (!code)
    return code.takeError();
  return code->getObject(&compiled.times);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeObject(CompiledModule &compiled, const CodegenOptions &codegen) {
  if (compiled.object)
    return std::move(compiled.object);
  std::unique_ptr<llvm::MemoryBuffer> object;
  llvm::Error failure = llvm::Error::success();
  bool hasMemory = runOnLargeStack([&] {
    llvm::ErrorAsOutParameter checked(failure);
    auto generated = generate(compiled, codegen);
    if (generated)
      object = std::move(*generated);
    else
      failure = generated.takeError();
  });
  if (failure)
    return std::move(failure);
  if (!hasMemory)
    return llvm::createStringError("no memory to generate machine code");
  if (compiled.cacheKey.empty())
    return object;
  const std::string &key =
      compiled.said.empty() ? compiled.cacheKey : compiled.saidCacheKey;
  const ProgramCache &cache = compiled.options.cache->cache;
  if (llvm::Error error = cache.store(key, *compiled.module, compiled.said,
                                      object->getBuffer(), compiled.data))
    compiled.cacheError = llvm::toString(std::move(error));
  else
    compiled.cacheNote = "kept " + cache.getPath(key);
  return object;
}

void reportCache(llvm::raw_ostream &os, const CompiledModule &compiled,
                 bool isVerbose) {
  if (!compiled.cacheError.empty())
    llvm::WithColor::warning(os)
        << "the program is not kept: " << compiled.cacheError << "\n";
  else if (isVerbose && compiled.options.cache)
    os << "  program cache: " << compiled.cacheNote << "\n";
}

} // namespace flywheel
