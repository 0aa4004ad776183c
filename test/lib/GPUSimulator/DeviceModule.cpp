//===- DeviceModule.cpp - Device code before the host's compiler ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"

#include "Intrinsics.h"
#include "Races.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace simulator {

/// The address space of workgroup memory.
static constexpr unsigned kWorkgroup = 3;

std::string getPackedName(StringRef kernel) {
  return (kernel + ".packed").str();
}

static void addPacked(Function &kernel) {
  Module &module = *kernel.getParent();
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  Function *packed = Function::Create(type, GlobalValue::ExternalLinkage,
                                      getPackedName(kernel.getName()), module);
  IRBuilder<> b(BasicBlock::Create(context, "entry", packed));
  SmallVector<Value *> arguments;
  for (Argument &argument : kernel.args()) {
    Value *place =
        b.CreateLoad(pointer, b.CreateConstGEP1_32(pointer, packed->getArg(0),
                                                   argument.getArgNo()));
    arguments.push_back(b.CreateLoad(argument.getType(), place));
  }
  b.CreateCall(&kernel, arguments);
  b.CreateRetVoid();
}

/// The functions that one calls, and itself. Nothing if they are not known.
static std::optional<SetVector<Function *>> findCallees(Function &function) {
  SetVector<Function *> callees;
  callees.insert(&function);
  for (size_t i = 0; i < callees.size(); ++i)
    for (Instruction &instruction : instructions(*callees[i]))
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        Function *callee = call->getCalledFunction();
        if (!callee)
          return {};
        callees.insert(callee);
      }
  return callees;
}

static Align getAlignment(const GlobalVariable &variable) {
  return variable.getAlign().value_or(
      variable.getParent()->getDataLayout().getPreferredAlign(&variable));
}

/// Reads of "16, 1, 1" at most three numbers; others stay as they are.
static void readDims(Function &kernel, StringRef attribute, Dims &dims) {
  SmallVector<StringRef> texts;
  kernel.getFnAttribute(attribute).getValueAsString().split(texts, ',');
  for (auto [text, dim] : zip(texts, dims))
    (void)text.trim().getAsInteger(10, dim);
}

static Error
describeKernel(Function &function, Kernel &kernel,
               const SmallPtrSetImpl<Function *> &waiting,
               ArrayRef<GlobalVariable *> globals,
               ArrayRef<std::unique_ptr<WorkgroupVariable>> places,
               DenseMap<GlobalVariable *, SetVector<Function *>> &users) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  kernel.name = function.getName();
  for (Argument &argument : function.args())
    kernel.argumentBytes.push_back(
        layout.getTypeAllocSize(argument.getType()).getFixedValue());
  if (function.hasFnAttribute("nvvm.reqntid")) {
    kernel.requiredBlock = {1, 1, 1};
    readDims(function, "nvvm.reqntid", kernel.requiredBlock);
  }
  if (function.hasFnAttribute("nvvm.maxntid")) {
    Dims most = {1, 1, 1};
    readDims(function, "nvvm.maxntid", most);
    kernel.maxThreads = std::min(kMaxThreads, most[0] * most[1] * most[2]);
  }
  std::optional<SetVector<Function *>> callees = findCallees(function);
  if (!callees)
    return createStringError("kernel '" + kernel.name +
                             "' calls a function by its address");
  kernel.isCooperative =
      any_of(*callees, [&](Function *f) { return waiting.contains(f); });
  for (auto [global, place] : zip(globals, places)) {
    if (none_of(users[global],
                [&](Function *f) { return callees->contains(f); }))
      continue;
    Align alignment = getAlignment(*global);
    if (!place) {
      kernel.dynamicAlignment =
          std::max<size_t>(kernel.dynamicAlignment, alignment.value());
      continue;
    }
    kernel.variables.push_back(place.get());
    kernel.staticBytes =
        alignTo(kernel.staticBytes, alignment) + place->memory.size();
  }
  if (kernel.staticBytes > kWorkgroupBytes)
    return createStringError(
        "kernel '" + kernel.name + "' has " +
        std::to_string(kernel.staticBytes) +
        " bytes of workgroup variables: expected at most " +
        std::to_string(kWorkgroupBytes));
  return Error::success();
}

/// The functions whose instructions use a variable.
static SetVector<Function *> findUsers(GlobalVariable &variable) {
  SetVector<Function *> functions;
  for (User *user : variable.users())
    if (auto *instruction = dyn_cast<Instruction>(user))
      functions.insert(instruction->getFunction());
  return functions;
}

/// Takes away what is true on the device only. Calls of the simulator change
/// memory, as other threads run meanwhile.
static void dropAttributes(Function &function) {
  AttributeMask dropped;
  for (Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn,
        Attribute::Speculatable})
    dropped.addAttribute(kind);
  dropped.addAttribute("target-cpu").addAttribute("target-features");
  function.removeFnAttrs(dropped);
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && !isa_and_present<IntrinsicInst>(call))
      call->removeFnAttrs(dropped);
}

Error convertToHost(
    Module &module, StringMap<Kernel> &kernels,
    std::vector<std::unique_ptr<WorkgroupVariable>> &variables) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      functions.push_back(&function);
  for (Function &function : module) {
    function.setCallingConv(CallingConv::C);
    if (function.isIntrinsic())
      continue;
    dropAttributes(function);
    // A stack overflow is found at the guard page after the stack.
    function.addFnAttr("probe-stack", "inline-asm");
  }
  bool isInstrumented = isLookingForRaces();
  if (isInstrumented)
    if (Error error = instrumentAccesses(module))
      return error;
  for (Function *function : functions)
    addPacked(*function);

  SmallPtrSet<Function *, 8> waiting;
  if (Error error = replaceIntrinsics(module, waiting))
    return error;

  SmallVector<GlobalVariable *> globals;
  SmallVector<Constant *> constants;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == kWorkgroup) {
      globals.push_back(&variable);
      constants.push_back(&variable);
    }
  convertUsersOfConstantsToInstructions(constants);
  const DataLayout &layout = module.getDataLayout();
  std::vector<std::unique_ptr<WorkgroupVariable>> places;
  DenseMap<GlobalVariable *, SetVector<Function *>> users;
  for (GlobalVariable *global : globals) {
    users[global] = findUsers(*global);
    size_t bytes = layout.getTypeAllocSize(global->getValueType());
    places.emplace_back();
    if (bytes == 0)
      continue;
    places.back() = std::make_unique<WorkgroupVariable>();
    places.back()->name = global->getName();
    places.back()->memory = GuardedMemory(bytes, getAlignment(*global).value());
  }
  for (Function *function : functions) {
    kernels[function->getName()].isInstrumented = isInstrumented;
    if (Error error = describeKernel(*function, kernels[function->getName()],
                                     waiting, globals, places, users))
      return error;
  }
  for (auto [global, place] : zip(globals, places)) {
    if (place) {
      global->setAlignment(getAlignment(*global));
      global->setInitializer(nullptr);
      global->setLinkage(GlobalValue::ExternalLinkage);
      global->setVisibility(GlobalValue::DefaultVisibility);
      global->setDSOLocal(false);
      variables.push_back(std::move(place));
      continue;
    }
    for (Function *function : users[global]) {
      Value *memory = readDynamicMemory(*function);
      global->replaceUsesWithIf(memory, [&](Use &use) {
        auto *user = dyn_cast<Instruction>(use.getUser());
        return user && user->getFunction() == function;
      });
    }
    global->eraseFromParent();
  }
  return Error::success();
}

} // namespace simulator
