//===- Program.cpp - A compiled model in this process ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Program.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Support/LargeStack.h"
#include "flywheel/Target/Object/ObjectFile.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel {

std::optional<runtime::DType> getDType(Type elementType) {
  StringRef name = getDTypeName(elementType);
  return runtime::dtypeFromNumpyName({name.data(), name.size()});
}

static Status toStatus(llvm::Error error) {
  return Status::invalidArgument(llvm::toString(std::move(error)));
}

template <typename Range> static std::string listNames(const Range &range) {
  std::string text = llvm::join(
      llvm::map_range(range, [](const auto &item) { return item.name; }), ", ");
  return text.empty() ? "none" : text;
}

static Status addArgument(const ManifestArgument &argument,
                          std::vector<ArgumentSpec> &arguments) {
  std::optional<runtime::DType> dtype =
      getDType(argument.type.getElementType());
  if (!dtype)
    return Status::invalidArgument("'" + argument.name +
                                   "' has an element type that arrays cannot "
                                   "have");
  ArgumentSpec &spec = arguments.emplace_back();
  spec.name = argument.name;
  spec.dtype = *dtype;
  spec.shapeText = formatShape(argument);
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols))
    spec.dimSizes.push_back(symbol < 0 ? dimSize : -1 - symbol);
  return {};
}

Status Program::addEntry(const ManifestEntry &entry) {
  // Sessions have a call of their own for it.
  if (isInitializer(entry))
    return {};
  llvm::Expected<void *> address =
      jit->lookup(getPackedSymbol(manifest, entry));
  if (!address)
    return toStatus(address.takeError());
  EntrySpec &spec = entries.emplace_back();
  spec.manifest = &entry;
  if (manifest.threads > 1)
    spec.teamFunction = reinterpret_cast<PackedTeamFunction>(*address);
  else
    spec.function = reinterpret_cast<PackedFunction>(*address);
  for (const ManifestArgument &feed : entry.feeds)
    if (Status status = addArgument(feed, spec.feeds); !status.isOk())
      return status;
  for (const ManifestArgument &result : entry.results)
    if (Status status = addArgument(result, spec.results); !status.isOk())
      return status;
  return {};
}

Status Program::addVariable(const ManifestVariable &variable) {
  std::optional<runtime::DType> dtype =
      getDType(variable.type.getElementType());
  if (!dtype)
    return Status::invalidArgument("variable '" + variable.name +
                                   "' has an element type that arrays cannot "
                                   "have");
  variables.push_back({variable.name, *dtype,
                       runtime::Shape(variable.type.getShape()),
                       variable.offset, variable.bytes});
  return {};
}

Result<std::shared_ptr<const Program>>
Program::create(ModuleOp module, const CodegenOptions &options,
                std::vector<StageTime> *times, const JITOptions &jitOptions) {
  std::optional<Result<std::shared_ptr<const Program>>> result;
  if (!runOnLargeStack([&] {
        result = createOnThisStack(module, options, times, jitOptions);
      }))
    return Status::resourceExhausted("no memory to generate machine code");
  return std::move(*result);
}

Result<std::shared_ptr<const Program>>
Program::createOnThisStack(ModuleOp module, const CodegenOptions &options,
                           std::vector<StageTime> *times,
                           const JITOptions &jitOptions) {
  FailureOr<Manifest> manifest = Manifest::readFrom(module);
  if (failed(manifest))
    return Status::invalidArgument(
        "the module has no valid 'train.manifest' attribute");
  std::shared_ptr<Program> program(new Program());
  program->manifest = std::move(*manifest);

  llvm::Expected<MachineModule> code =
      MachineModule::create(module, options, times);
  if (!code)
    return toStatus(code.takeError());
  llvm::Expected<std::unique_ptr<JIT>> jit =
      JIT::create(*code, times, jitOptions);
  if (!jit)
    return toStatus(jit.takeError());
  program->jit = std::move(*jit);
  if (Status status = program->resolve(); !status.isOk())
    return status;
  return std::shared_ptr<const Program>(std::move(program));
}

Result<std::shared_ptr<const Program>>
Program::load(ModuleOp module, std::unique_ptr<llvm::MemoryBuffer> object,
              const CodegenOptions &options, const JITOptions &jitOptions,
              llvm::ArrayRef<DetachedData> data) {
  FailureOr<Manifest> manifest = Manifest::readFrom(module);
  if (failed(manifest))
    return Status::invalidArgument(
        "the module has no valid 'train.manifest' attribute");
  std::shared_ptr<Program> program(new Program());
  program->manifest = std::move(*manifest);
  llvm::Expected<std::unique_ptr<JIT>> jit =
      JIT::load(std::move(object), options, jitOptions, data);
  if (!jit)
    return toStatus(jit.takeError());
  program->jit = std::move(*jit);
  if (Status status = program->resolve(); !status.isOk())
    return status;
  return std::shared_ptr<const Program>(std::move(program));
}

std::shared_ptr<const Program>
Program::withPlaces(ArrayRef<std::string> places) const {
  std::shared_ptr<Program> program(new Program());
  program->manifest = manifest;
  program->jit = jit;
  for (ManifestMessage &message : program->manifest.messages)
    message.text = formatPlaces(message.text, places);
  for (ManifestEntry &entry : program->manifest.entries)
    for (ManifestArgument &feed : entry.feeds)
      for (std::string &text : feed.places)
        text = formatPlaces(text, places);
  // The code has all symbols, because `this` found them in it.
  [[maybe_unused]] Status status = program->resolve();
  assert(status.isOk() && "expected the code of a program");
  return program;
}

Status Program::resolve() {
  ManifestEntry init;
  init.name = "init";
  llvm::Expected<PackedFunction> found =
      jit->lookupPacked(getPackedSymbol(manifest, init));
  if (!found)
    return toStatus(found.takeError());
  initializer = *found;
  for (const ManifestVariable &variable : manifest.variables)
    if (Status status = addVariable(variable); !status.isOk())
      return status;
  for (const ManifestEntry &entry : manifest.entries)
    if (Status status = addEntry(entry); !status.isOk())
      return status;
  return {};
}

Result<const EntrySpec *> Program::lookupEntry(StringRef name) const {
  for (const EntrySpec &entry : entries)
    if (entry.manifest->name == name)
      return &entry;
  return Status::notFound("model '" + manifest.model + "' has no entry '" +
                          name.str() + "'; it has: " +
                          listNames(llvm::make_filter_range(
                              manifest.entries, [](const ManifestEntry &entry) {
                                return !isInitializer(entry);
                              })));
}

Result<size_t> Program::lookupVariable(StringRef name) const {
  for (auto [index, variable] : llvm::enumerate(variables))
    if (variable.name == name)
      return index;
  return Status::notFound("model '" + manifest.model + "' has no variable '" +
                          name.str() + "'; it has: " + listNames(variables));
}

Status Program::getStatus(int32_t status) const {
  if (status == 0)
    return {};
  if (status < 0 || static_cast<size_t>(status) > manifest.messages.size())
    return Status::invalidArgument("unknown status " + std::to_string(status));
  const ManifestMessage &message = manifest.messages[status - 1];
  return message.isOfData ? Status::invalidData(message.text)
                          : Status(getStatusCode(message.kind), message.text);
}

} // namespace flywheel
