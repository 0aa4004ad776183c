//===- DeviceCode.cpp - Kernels as bytes ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"

#include "flywheel/Support/Targets.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace flywheel;
using flywheel::runtime::GPUImage;

/// Returns 90 for `sm_90a`, and 942 for AMD's `gfx942`.
static int32_t getNumber(StringRef chip) {
  int32_t number = 0;
  if (!chip.consume_front("sm_"))
    chip.consume_front("gfx");
  chip.consumeInteger(10, number);
  return number;
}

/// Returns true if the lowest version of PTX that supports the chip of
/// `machine` is below 8.0. LLVM states the version only in the PTX of a module.
static bool isBeforePTX80(llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  llvm::Module module("version", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::SmallString<256> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return false;
  passes.run(module);
  StringRef version = StringRef(text).split(".version ").second;
  int32_t major = 0;
  return !version.consumeInteger(10, major) && major < 8;
}

static std::unique_ptr<llvm::TargetMachine> createMachine(StringRef chip,
                                                          std::string &error) {
  initializeAllTargets();
  bool isAMD = chip.starts_with("gfx");
  llvm::Triple triple(isAMD ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  auto create = [&](StringRef features) {
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, chip, features, {},
        isAMD ? std::optional(llvm::Reloc::PIC_) : std::nullopt, {},
        llvm::CodeGenOptLevel::Aggressive));
  };
  // Without a version LLVM uses the lowest one that supports the chip: drivers
  // that know the chip know that version. Kernels need more than the lowest
  // version of older chips.
  std::unique_ptr<llvm::TargetMachine> machine = create("");
  if (!isAMD && machine && isBeforePTX80(*machine))
    machine = create("+ptx80");
  return machine;
}

namespace {
/// The registers and spills of a thread of a kernel.
struct KernelUse {
  unsigned registers = 0;
  unsigned spilledBytes = 0;
};

/// PTX with its terminator, and the code that `ptxas` assembles it to, if there
/// is a `ptxas`.
struct Assembly {
  std::string ptx, cubin;
};

/// Makes images of one module.
class ImageMaker {
public:
  ImageMaker(gpu::GPUModuleOp kernels, const DeviceTools &tools)
      : kernels(kernels), tools(tools) {
    for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
      leastBlocks.push_back({kernel, getLeastBlocks(kernel)});
  }

  FailureOr<std::string> makeBitcode(StringRef chip);
  /// Returns PTX with its terminator.
  FailureOr<std::string> makePTX(StringRef chip);
  /// Assembles the module if there is a `ptxas`. Kernels that would spill
  /// registers to have room for more blocks on a multiprocessor then ask for
  /// fewer blocks, also in PTX that is made later.
  FailureOr<Assembly> assemble(StringRef chip);
  /// Returns a shared object for AMD.
  FailureOr<std::string> makeCodeObject(StringRef chip);

private:
  using Bytes = llvm::SmallVector<char, 0>;

  FailureOr<Bytes> compile(StringRef chip, bool isBitcode,
                           llvm::CodeGenFileType type);
  int64_t getLeastBlocks(LLVM::LLVMFuncOp kernel);
  void setLeastBlocks(LLVM::LLVMFuncOp kernel, int64_t blocks);
  bool giveRegisters(const llvm::StringMap<KernelUse> &uses);
  void describe(StringRef chip, const llvm::StringMap<KernelUse> &uses);
  FailureOr<std::string> runTool(StringRef tool, StringRef input,
                                 StringRef suffix, ArrayRef<StringRef> options,
                                 std::string *text = nullptr);

  gpu::GPUModuleOp kernels;
  const DeviceTools &tools;
  StringRef blocksName = NVVM::NVVMDialect::getMinctasmAttrName();
  /// The number of blocks side by side that each kernel asks for; 0 leaves it
  /// to `ptxas`.
  SmallVector<std::pair<LLVM::LLVMFuncOp, int64_t>> leastBlocks;
};
} // namespace

FailureOr<ImageMaker::Bytes> ImageMaker::compile(StringRef chip, bool isBitcode,
                                                 llvm::CodeGenFileType type) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return kernels.emitError("device code cannot be written as LLVM IR");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip, error);
  if (!machine)
    return kernels.emitError() << error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  Bytes bytes;
  llvm::raw_svector_ostream os(bytes);
  if (isBitcode) {
    llvm::WriteBitcodeToFile(*module, os);
    return bytes;
  }
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, type))
    return kernels.emitError() << "LLVM cannot write code for " << chip;
  passes.run(*module);
  return bytes;
}

FailureOr<std::string> ImageMaker::makeBitcode(StringRef chip) {
  FailureOr<Bytes> bytes =
      compile(chip, /*isBitcode=*/true, llvm::CodeGenFileType::Null);
  if (failed(bytes))
    return failure();
  // Bitcode does not contain its own size.
  uint64_t size = bytes->size();
  std::string image(reinterpret_cast<const char *>(&size), sizeof(size));
  return image.append(bytes->begin(), bytes->end());
}

FailureOr<std::string> ImageMaker::makePTX(StringRef chip) {
  FailureOr<Bytes> bytes =
      compile(chip, /*isBitcode=*/false, llvm::CodeGenFileType::AssemblyFile);
  if (failed(bytes))
    return failure();
  bytes->push_back('\0');
  return std::string(bytes->begin(), bytes->end());
}

/// Runs `tool OPTIONS... INPUT -o OUTPUT` on files, and returns its output
/// file; stores its messages in `text`.
FailureOr<std::string> ImageMaker::runTool(StringRef tool, StringRef input,
                                           StringRef suffix,
                                           ArrayRef<StringRef> options,
                                           std::string *text) {
  SmallString<128> from, to, said;
  auto fail = [&](const Twine &why) -> LogicalResult {
    return kernels.emitError() << "'" << tool << "' " << why.str();
  };
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("kernels", suffix, file, from) ||
      llvm::sys::fs::createTemporaryFile("kernels", "out", to) ||
      llvm::sys::fs::createTemporaryFile("kernels", "txt", said))
    return fail("cannot run: there is no room for temporary files");
  llvm::FileRemover removeFrom(from), removeTo(to), removeSaid(said);
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << input;
  }
  SmallVector<StringRef> arguments = {tool};
  llvm::append_range(arguments, options);
  llvm::append_range(arguments, ArrayRef<StringRef>{from, "-o", to});
  std::string error;
  int status = llvm::sys::ExecuteAndWait(
      tool, arguments, /*Env=*/std::nullopt,
      {std::nullopt, StringRef(said), StringRef(said)}, 0, 0, &error);
  auto words = llvm::MemoryBuffer::getFile(said);
  StringRef why = words ? (*words)->getBuffer().trim() : StringRef();
  if (text)
    *text = why.str();
  if (status != 0) {
    // The status is below 0 if the program was killed.
    std::string how =
        status > 0 ? " with status " + std::to_string(status) : "";
    if (!error.empty())
      how += ": " + error;
    return fail("fails" + how + (why.empty() ? "" : ": " + why));
  }
  auto made = llvm::MemoryBuffer::getFile(to, /*IsText=*/false);
  if (!made || (*made)->getBuffer().empty())
    return fail("writes nothing");
  return (*made)->getBuffer().str();
}

/// Returns true if the help of `ptxas` lists chips, but not `chip`.
static bool isUnknownTo(StringRef ptxas, StringRef chip) {
  SmallString<128> said;
  if (llvm::sys::fs::createTemporaryFile("ptxas", "txt", said))
    return false;
  llvm::FileRemover remove(said);
  if (llvm::sys::ExecuteAndWait(
          ptxas, {ptxas, "--help"}, /*Env=*/std::nullopt,
          {std::nullopt, StringRef(said), StringRef(said)}) != 0)
    return false;
  auto text = llvm::MemoryBuffer::getFile(said);
  return text && (*text)->getBuffer().contains("'sm_") &&
         !(*text)->getBuffer().contains(("'" + chip + "'").str());
}

/// Returns the registers and spills of each kernel that `ptxas -v` reports.
static llvm::StringMap<KernelUse> parseUses(StringRef said) {
  llvm::StringMap<KernelUse> uses;
  KernelUse *use = nullptr;
  for (StringRef line : llvm::split(said, '\n')) {
    if (line.contains("Compiling entry function '"))
      use = &uses[line.split('\'').second.split('\'').first];
    if (!use)
      continue;
    if (line.contains("Used "))
      line.split("Used ").second.consumeInteger(10, use->registers);
    if (line.contains(" bytes spill stores"))
      line.split(" bytes spill stores")
          .first.rsplit(' ')
          .second.getAsInteger(10, use->spilledBytes);
  }
  return uses;
}

int64_t ImageMaker::getLeastBlocks(LLVM::LLVMFuncOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(blocksName);
  return blocks ? blocks.getInt() : 0;
}

void ImageMaker::setLeastBlocks(LLVM::LLVMFuncOp kernel, int64_t blocks) {
  if (blocks == 0)
    kernel->removeAttr(blocksName);
  else
    kernel->setAttr(blocksName,
                    Builder(kernel.getContext()).getI32IntegerAttr(blocks));
}

/// Gives kernels that spill more registers, by asking for fewer blocks: for two
/// if `ptxas` chose, else for one. Returns true if one kernel has more
/// registers than before.
bool ImageMaker::giveRegisters(const llvm::StringMap<KernelUse> &uses) {
  bool isChanged = false;
  for (auto [kernel, wanted] : leastBlocks) {
    int64_t blocks = getLeastBlocks(kernel);
    if (!uses.lookup(kernel.getName()).spilledBytes || blocks == 1)
      continue;
    setLeastBlocks(kernel, blocks == 0 ? 2 : 1);
    isChanged = true;
  }
  return isChanged;
}

FailureOr<Assembly> ImageMaker::assemble(StringRef chip) {
  bool isThere = !tools.ptxas.empty();
  if (isThere && isUnknownTo(tools.ptxas, chip)) {
    isThere = false;
    if (tools.forObject)
      return kernels.emitError()
             << "'" << tools.ptxas << "' does not know " << chip
             << ": expected a chip that it lists; with --ptxas=none there is "
                "PTX, which the driver translates";
  }
  std::string option = ("-arch=" + chip).str();
  for (auto [kernel, blocks] : leastBlocks)
    setLeastBlocks(kernel, blocks);
  while (true) {
    FailureOr<std::string> ptx = makePTX(chip);
    if (failed(ptx))
      return failure();
    if (!isThere)
      return Assembly{std::move(*ptx), ""};
    std::string said;
    FailureOr<std::string> cubin =
        runTool(tools.ptxas, StringRef(*ptx).rtrim('\0'), "ptx",
                {option, "-O3", "-v"}, &said);
    if (failed(cubin))
      return failure();
    llvm::StringMap<KernelUse> uses = parseUses(said);
    if (giveRegisters(uses))
      continue;
    if (tools.report)
      describe(chip, uses);
    return Assembly{std::move(*ptx), std::move(*cubin)};
  }
}

/// Emits remarks with the resources that each kernel uses on `chip`.
void ImageMaker::describe(StringRef chip,
                          const llvm::StringMap<KernelUse> &uses) {
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
    auto found = uses.find(kernel.getName());
    if (found != uses.end())
      mlir::emitRemark(kernel.getLoc())
          << "kernel '" << kernel.getName() << "' for " << chip
          << ": registers " << found->second.registers << ", bytes spilled "
          << found->second.spilledBytes;
  }
}

FailureOr<std::string> ImageMaker::makeCodeObject(StringRef chip) {
  FailureOr<Bytes> bytes =
      compile(chip, /*isBitcode=*/false, llvm::CodeGenFileType::ObjectFile);
  if (failed(bytes))
    return failure();
  if (tools.lld.empty())
    return kernels.emitError("code of AMD needs ld.lld, which is not found");
  return runTool(tools.lld, StringRef(bytes->data(), bytes->size()), "o",
                 {"-shared"});
}

/// Returns true if code for `chip` runs on no other chip.
static bool isOwn(StringRef chip) { return !llvm::isDigit(chip.back()); }

FailureOr<std::vector<DeviceImage>>
flywheel::makeDeviceImages(gpu::GPUModuleOp kernels, codegen::GPUAttr gpu,
                           const DeviceTools &tools) {
  ImageMaker maker(kernels, tools);
  std::vector<DeviceImage> images;
  auto add = [&](FailureOr<std::string> bytes, StringRef chip,
                 GPUImage::Kind kind) -> LogicalResult {
    if (succeeded(bytes))
      images.push_back({std::move(*bytes), getNumber(chip), kind});
    return bytes;
  };
  StringRef form = gpu.getImage().getValue(), first = gpu.getChip().getValue();
  if (form == "bitcode") {
    if (failed(add(maker.makeBitcode(first), first, GPUImage::Any)))
      return failure();
    return images;
  }
  SmallVector<StringRef> chips = {first};
  if (ArrayAttr others = gpu.getOthers())
    llvm::append_range(chips, others.getAsValueRange<StringAttr>());
  for (StringRef chip : chips) {
    if (form == "hsaco") {
      if (failed(add(maker.makeCodeObject(chip), chip, GPUImage::OwnCode)))
        return failure();
      continue;
    }
    FailureOr<Assembly> code = maker.assemble(chip);
    if (failed(code))
      return failure();
    if (tools.forObject && !code->cubin.empty())
      images.push_back({std::move(code->cubin), getNumber(chip),
                        isOwn(chip) ? GPUImage::OwnCode : GPUImage::Code});
    else
      images.push_back({std::move(code->ptx), getNumber(chip),
                        isOwn(chip) ? GPUImage::OwnPTX : GPUImage::PTX});
  }
  if (form == "hsaco" || !tools.forObject)
    return images;
  // Later chips translate PTX of the newest chip that has no instructions of
  // its own.
  StringRef last = chips.back().rtrim("abcdefghijklmnopqrstuvwxyz");
  bool isThere = llvm::any_of(images, [&](const DeviceImage &image) {
    return image.kind == GPUImage::PTX && image.chip == getNumber(last);
  });
  if (!isThere && failed(add(maker.makePTX(last), last, GPUImage::PTX)))
    return failure();
  return images;
}
