//===- ModuleParts.cpp - A module as several smaller ones -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace flywheel {

/// Instructions that are worth a part, which costs about 3 ms: bitcode, a
/// machine and a list of passes of its own. On a processor with AVX-512, code
/// of 13,000 instructions takes 327 ms as one part; as 6 parts 352 on one
/// thread and 208 on two; as 8 parts (1,500) 372 and 203; as 2 parts (6,000)
/// 337 and 276.
constexpr unsigned kPartInstructions = 2000;
/// More parts than this serve no machine that compiles one model at a time.
constexpr unsigned kMaxParts = 16;
/// Values of constants up to this size are known in each part, so that loads of
/// them fold everywhere.
constexpr uint64_t kKnownConstantBytes = 1024;

/// Returns true if the object of `module` can be merged from several. With
/// 32-bit pointers, as on x32, it would be a 32-bit ELF file.
static bool canMerge(const Module &module) {
  const Triple &triple = module.getTargetTriple();
  return triple.isOSBinFormatELF() && triple.isLittleEndian() &&
         triple.isArch64Bit() && (triple.isX86() || triple.isAArch64()) &&
         module.getDataLayout().getPointerSizeInBits() == 64;
}

/// Returns true if `module` consists of functions, their aliases and plain
/// variables.
static bool canSplit(const Module &module) {
  return canMerge(module) && module.getModuleInlineAsm().empty() &&
         module.getComdatSymbolTable().empty() && module.ifunc_empty() &&
         none_of(module.globals(),
                 [](const GlobalVariable &variable) {
                   return variable.hasAppendingLinkage();
                 }) &&
         all_of(module.aliases(), [](const GlobalAlias &alias) {
           return isa_and_present<Function>(alias.getAliaseeObject());
         });
}

/// Balances `weights`: the heaviest first, each to the lightest part.
static SmallVector<unsigned> balance(ArrayRef<unsigned> weights,
                                     unsigned numParts) {
  SmallVector<unsigned> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned first, unsigned second) {
    return std::pair(weights[second], first) <
           std::pair(weights[first], second);
  });
  SmallVector<uint64_t> loads(numParts);
  SmallVector<unsigned> parts(weights.size());
  for (unsigned index : order) {
    auto *lightest = llvm::min_element(loads);
    parts[index] = lightest - loads.begin();
    *lightest += weights[index];
  }
  return parts;
}

/// Makes local symbols visible, because other parts refer to them by name.
void ModuleParts::makeVisible(Module &module) {
  unsigned numUnnamed = 0;
  for (GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage() || value.isDeclaration())
      continue;
    if (!value.hasName())
      value.setName("flywheel.unnamed." + Twine(numUnnamed++));
    localNames.insert(value.getName());
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
  }
}

namespace {
/// Takes large variables' values away for as long as it lives: they can be
/// hundreds of megabytes of weights, which one part has.
class WithoutLargeValues {
public:
  explicit WithoutLargeValues(Module &module) {
    for (GlobalVariable &variable : module.globals()) {
      if (!variable.hasInitializer() ||
          (variable.isConstant() &&
           module.getDataLayout().getTypeAllocSize(variable.getValueType()) <=
               kKnownConstantBytes))
        continue;
      values.push_back({&variable, variable.getInitializer()});
      variable.setInitializer(nullptr);
    }
  }
  ~WithoutLargeValues() {
    for (auto [variable, value] : values)
      variable->setInitializer(value);
  }
  WithoutLargeValues(const WithoutLargeValues &) = delete;
  WithoutLargeValues &operator=(const WithoutLargeValues &) = delete;

private:
  SmallVector<std::pair<GlobalVariable *, Constant *>> values;
};
} // namespace

ModuleParts ModuleParts::split(Module &module) {
  ModuleParts result;
  SmallVector<unsigned> weights;
  for (const Function &function : module)
    if (!function.isDeclaration())
      weights.push_back(function.getInstructionCount());
  uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  auto wanted = std::min<uint64_t>(total / kPartInstructions, kMaxParts);
  if (wanted < 2 || !canSplit(module))
    return result;
  result.numParts = static_cast<unsigned>(wanted);
  result.partOfFunction = balance(weights, result.numParts);
  result.makeVisible(module);
  WithoutLargeValues small(module);
  raw_svector_ostream stream(result.bitcode);
  WriteBitcodeToFile(module, stream);
  return result;
}

/// Replaces an alias of a function of another part by a declaration.
static void declare(GlobalAlias &alias) {
  auto *type = cast<Function>(alias.getAliaseeObject())->getFunctionType();
  Function *declaration = Function::Create(type, GlobalValue::ExternalLinkage,
                                           "", alias.getParent());
  declaration->takeName(&alias);
  declaration->setVisibility(alias.getVisibility());
  alias.replaceAllUsesWith(declaration);
  alias.eraseFromParent();
}

void ModuleParts::keep(unsigned part, Module &module) const {
  // Aliases first: once its function is deleted, the part of an alias is
  // unknown.
  DenseMap<const Function *, unsigned> parts;
  unsigned index = 0;
  for (Function &function : module)
    if (!function.isDeclaration())
      parts[&function] = partOfFunction[index++];
  for (GlobalAlias &alias : make_early_inc_range(module.aliases()))
    if (parts.lookup(cast<Function>(alias.getAliaseeObject())) != part)
      declare(alias);
  for (Function &function : make_early_inc_range(module)) {
    auto found = parts.find(&function);
    if (found != parts.end() && found->second != part)
      function.deleteBody();
  }
}

void ModuleParts::keepFirst(Module &module) const { keep(0, module); }

Expected<std::unique_ptr<Module>>
ModuleParts::load(unsigned part, LLVMContext &context) const {
  MemoryBufferRef buffer(StringRef(bitcode.data(), bitcode.size()), "part");
  // Lazy loading reads only the functions of the part.
  Expected<std::unique_ptr<Module>> module =
      getLazyBitcodeModule(buffer, context);
  if (!module)
    return module;
  keep(part, **module);
  if (Error error = (*module)->materializeAll())
    return std::move(error);
  for (GlobalVariable &variable : (*module)->globals())
    if (variable.hasInitializer())
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
  for (Function &function : make_early_inc_range(**module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  return module;
}

} // namespace flywheel
