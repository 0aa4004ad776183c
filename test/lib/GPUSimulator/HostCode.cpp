//===- HostCode.cpp - Device code for the host ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace simulator {

static constexpr StringLiteral kPlace = "simulator.place";

/// The number within Place of a special register; nothing for another name.
static std::optional<unsigned> findRegister(StringRef intrinsic) {
  if (!intrinsic.consume_front("llvm.nvvm.read.ptx.sreg."))
    return {};
  auto [name, dim] = intrinsic.split('.');
  unsigned row = StringSwitch<unsigned>(name)
                     .Case("tid", 0)
                     .Case("ctaid", 1)
                     .Case("ntid", 2)
                     .Case("nctaid", 3)
                     .Default(4);
  if (row == 4 || dim.size() != 1 || dim[0] < 'x' || dim[0] > 'z')
    return {};
  return 3 * row + (dim[0] - 'x');
}

/// Replaces the device's intrinsics by what the host has.
static Error replaceIntrinsics(Module &module) {
  Type *i32 = Type::getInt32Ty(module.getContext());
  auto *place =
      new GlobalVariable(module, ArrayType::get(i32, 12), false,
                         GlobalValue::ExternalLinkage, nullptr, kPlace);
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction();
            callee && callee->getName().starts_with("llvm.nvvm."))
          calls.push_back(call);
  for (CallInst *call : calls) {
    StringRef name = call->getCalledFunction()->getName();
    std::optional<unsigned> number = findRegister(name);
    if (!number)
      return createStringError("the simulator has no " + name.str());
    IRBuilder<> b(call);
    Value *address =
        b.CreateConstGEP2_32(place->getValueType(), place, 0, *number);
    call->replaceAllUsesWith(b.CreateLoad(i32, address));
    call->eraseFromParent();
  }
  return Error::success();
}

/// Adds `NAME.packed(arguments)`, which loads the arguments from their places.
static void addPacked(Function &kernel) {
  Module &module = *kernel.getParent();
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  Function *packed = Function::Create(type, GlobalValue::ExternalLinkage,
                                      kernel.getName() + ".packed", module);
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

static void optimize(Module &module, TargetMachine *machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager cycles;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cycles);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cycles, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(module, modules);
}

Expected<std::unique_ptr<HostCode>> HostCode::create(const void *image,
                                                     Place &place) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<LLVMContext>();
  // The runtime passes no size: the writer puts it in front.
  uint64_t size;
  std::memcpy(&size, image, sizeof(size));
  StringRef bytes(static_cast<const char *>(image) + sizeof(size), size);
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(bytes, "kernels"), *context);
  if (!module)
    return module.takeError();
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  SmallVector<Function *> kernels;
  for (Function &function : **module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);
  for (Function &function : **module)
    function.setCallingConv(CallingConv::C);
  for (Function *kernel : kernels)
    addPacked(*kernel);
  if (Error error = replaceIntrinsics(**module))
    return std::move(error);
  (*module)->setTargetTriple((*jit)->getTargetTriple());
  (*module)->setDataLayout((*jit)->getDataLayout());
  optimize(**module, nullptr);
  if (Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(
          {{(*jit)->mangleAndIntern(kPlace),
            {orc::ExecutorAddr::fromPtr(&place), JITSymbolFlags::Exported}}})))
    return std::move(error);
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return std::move(error);
  auto code = std::make_unique<HostCode>();
  code->jit = std::move(*jit);
  return code;
}

Expected<Kernel> HostCode::find(StringRef name) const {
  Expected<orc::ExecutorAddr> address = jit->lookup(name.str() + ".packed");
  if (!address)
    return address.takeError();
  return address->toPtr<Kernel>();
}

} // namespace simulator
