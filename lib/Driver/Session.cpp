//===- Session.cpp - Variables and the calls that change them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Session.h"
#include "flywheel/Dialect/Train/Device.h"
#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Target/CNames.h"

#include <cstring>

using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel {

template <typename T>
static T loadHeader(const std::byte *block, int64_t offset) {
  T value;
  std::memcpy(&value, block + offset, sizeof(T));
  return value;
}

Session::Session(std::shared_ptr<const Program> program,
                 std::shared_ptr<AlignedBuffer> state)
    : program(std::move(program)), state(std::move(state)) {}

/// Checks that every variable can be where it wants to be.
static Status placeVariables(const Manifest &manifest,
                             const SessionOptions &options) {
  for (const ManifestVariable &variable : manifest.variables) {
    if (variable.device.empty())
      continue;
    llvm::FailureOr<train::DeviceSpec> device =
        train::DeviceSpec::parse(variable.device);
    if (succeeded(device) && device->isHost())
      continue;
    std::string text = "Cannot assign a device to variable '" + variable.name +
                       "': it is to be on '" + variable.device +
                       "', and the available devices are: /cpu:0";
    if (!options.softPlacement)
      return Status::invalidArgument(text);
    if (options.warn)
      options.warn(text + "; it is placed there");
  }
  return {};
}

Result<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const Program> program,
                const SessionOptions &options) {
  if (Status status = placeVariables(program->getManifest(), options);
      !status.isOk())
    return status;
  auto state = std::make_shared<AlignedBuffer>();
  int64_t bytes = program->getManifest().stateBytes;
  if (!state->reserve(bytes))
    return Status::resourceExhausted("no memory for " + std::to_string(bytes) +
                                     " bytes of variables");
  // A block of this layout in which nothing has a value yet, so that an entry
  // that only assigns needs no initializer first.
  uint64_t hash = program->getManifest().layoutHash;
  std::memcpy(state->data() + kStateHashOffset, &hash, sizeof(hash));
  return std::unique_ptr<Session>(
      new Session(std::move(program), std::move(state)));
}

std::unique_ptr<Session> Session::share(const Session &other) {
  return std::unique_ptr<Session>(new Session(other.program, other.state));
}

Status Session::reserveWorkspace(int64_t bytes) {
  if (static_cast<size_t>(bytes) <= workspace.size())
    return {};
  if (!workspace.reserve(bytes))
    return Status::resourceExhausted("no memory for a workspace of " +
                                     std::to_string(bytes) + " bytes");
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status Session::runInitializer(std::byte *block, uint64_t seed) {
  if (const ManifestEntry *entry = program->getManifest().lookupEntry("init"))
    if (Status status = reserveWorkspace(entry->getWorkspaceBytes({}));
        !status.isOk())
      return status;
  // The run counter comes from the block.
  const void *feeds[] = {&seed, nullptr};
  return program->getStatus(program->getInitializer()(
      block, workspace.data(), feeds, /*extents=*/nullptr,
      /*results=*/nullptr));
}

Status Session::initialize(uint64_t seed) {
  return runInitializer(state->data(), seed);
}

Status Session::initializeMissing(uint64_t seed) {
  if (reportUninitialized().empty())
    return {};
  size_t bytes = program->getManifest().stateBytes;
  AlignedBuffer scratch;
  if (!scratch.reserve(bytes))
    return Status::resourceExhausted("no memory for " + std::to_string(bytes) +
                                     " bytes of initial values");
  std::memcpy(scratch.data(), state->data(), bytes);
  if (Status status = runInitializer(scratch.data(), seed); !status.isOk())
    return status;
  for (size_t index = 0; index < program->getVariables().size(); ++index) {
    if (hasValue(index))
      continue;
    const VariableSpec &variable = program->getVariables()[index];
    std::memcpy(state->data() + variable.offset,
                scratch.data() + variable.offset, variable.bytes);
    setHasValue(index);
  }
  for (auto [offset, size] : {std::pair(kStateRunsOffset, sizeof(uint64_t)),
                              std::pair(kStateSeedOffset, sizeof(uint64_t))})
    std::memcpy(state->data() + offset, scratch.data() + offset, size);
  return {};
}

Result<CallPlan *> Session::prepare(llvm::StringRef entry) {
  auto known = plans.find(entry);
  if (known != plans.end())
    return known->second.get();
  Result<const EntrySpec *> spec = program->lookupEntry(entry);
  if (!spec.isOk())
    return spec.status();
  auto plan = std::make_unique<CallPlan>(*this, **spec);
  return (plans[entry] = std::move(plan)).get();
}

Status Session::call(llvm::StringRef entry, llvm::ArrayRef<ArrayView> feeds,
                     llvm::ArrayRef<MutableArrayView> results) {
  Result<CallPlan *> plan = prepare(entry);
  if (!plan.isOk())
    return plan.status();
  return (*plan)->call(feeds, results);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Session::hasValue(size_t variable) const {
  return state->data()[kStateInitializedOffset + variable] != std::byte{0};
}

void Session::setHasValue(size_t variable) {
  state->data()[kStateInitializedOffset + variable] = std::byte{1};
}

static Status makeUninitializedError(const std::string &name) {
  return Status::failedPrecondition("Attempting to use uninitialized value " +
                                    name);
}

Result<ArrayView> Session::getVariable(llvm::StringRef name) const {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  const VariableSpec &variable = program->getVariables()[*index];
  if (!hasValue(*index))
    return makeUninitializedError(variable.name);
  return ArrayView{variable.dtype, variable.shape,
                   state->data() + variable.offset};
}

Status Session::setVariable(llvm::StringRef name, const ArrayView &value) {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  const VariableSpec &variable = program->getVariables()[*index];
  if (value.dtype != variable.dtype)
    return Status::invalidArgument(
        "cannot assign a value of dtype " +
        std::string(runtime::numpyName(value.dtype)) + " to variable '" +
        variable.name + "' of dtype " +
        std::string(runtime::numpyName(variable.dtype)));
  if (value.shape != llvm::ArrayRef<int64_t>(variable.shape))
    return Status::invalidArgument(
        "the shapes of a variable and its new value must be equal: cannot "
        "assign a value of shape " +
        formatShape(value.shape) + " to variable '" + variable.name +
        "' of shape " + formatShape(variable.shape));
  if (!value.data && variable.bytes != 0)
    return Status::invalidArgument("no value to assign to variable '" +
                                   variable.name + "': the data is null");
  if (variable.bytes != 0)
    std::memmove(state->data() + variable.offset, value.data, variable.bytes);
  setHasValue(*index);
  return {};
}

Result<bool> Session::isInitialized(llvm::StringRef name) const {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  return hasValue(*index);
}

std::vector<std::string> Session::reportUninitialized() const {
  std::vector<std::string> names;
  for (size_t index = 0; index < program->getVariables().size(); ++index)
    if (!hasValue(index))
      names.push_back(program->getVariables()[index].name);
  return names;
}

uint64_t Session::getRunCounter() const {
  return loadHeader<uint64_t>(state->data(), kStateRunsOffset);
}

uint64_t Session::getSeed() const {
  return loadHeader<uint64_t>(state->data(), kStateSeedOffset);
}

Result<std::vector<size_t>>
Session::selectVariables(llvm::ArrayRef<std::string> names) const {
  std::vector<size_t> indices;
  if (names.empty()) {
    for (size_t index = 0; index < program->getVariables().size(); ++index)
      indices.push_back(index);
    return indices;
  }
  for (const std::string &name : names) {
    Result<size_t> index = program->lookupVariable(name);
    if (!index.isOk())
      return index.status();
    indices.push_back(*index);
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

/// Keys of the random streams' counters in a checkpoint of all variables.
static constexpr const char *kRunsKey = "flywheel.runs";
static constexpr const char *kSeedKey = "flywheel.seed";

Status Session::save(const std::string &path, llvm::ArrayRef<std::string> names,
                     const runtime::Metadata &metadata) const {
  Result<std::vector<size_t>> indices = selectVariables(names);
  if (!indices.isOk())
    return indices.status();
  std::vector<runtime::TensorView> tensors;
  for (size_t index : *indices) {
    const VariableSpec &variable = program->getVariables()[index];
    if (!hasValue(index))
      return makeUninitializedError(variable.name);
    tensors.push_back({variable.name, variable.dtype, variable.shape,
                       state->data() + variable.offset});
  }
  if (names.empty() && !tensors.empty()) {
    tensors.push_back(
        {kRunsKey, runtime::DType::U64, {}, state->data() + kStateRunsOffset});
    tensors.push_back(
        {kSeedKey, runtime::DType::U64, {}, state->data() + kStateSeedOffset});
  }
  runtime::Metadata all = {{"model", program->getManifest().model}};
  all.insert(metadata.begin(), metadata.end());
  return runtime::saveCheckpoint(path, tensors, all);
}

Status Session::restore(const std::string &path,
                        llvm::ArrayRef<std::string> names) {
  Result<std::vector<size_t>> indices = selectVariables(names);
  if (!indices.isOk())
    return indices.status();
  std::vector<runtime::RestoreTarget> targets;
  for (size_t index : *indices) {
    const VariableSpec &variable = program->getVariables()[index];
    targets.push_back({variable.name, variable.dtype, variable.shape,
                       state->data() + variable.offset});
  }
  auto restoreTargets = [&]() -> Status {
    if (!names.empty())
      return runtime::restoreCheckpoint(path, targets);
    std::vector<runtime::RestoreTarget> withCounters = targets;
    withCounters.push_back(
        {kRunsKey, runtime::DType::U64, {}, state->data() + kStateRunsOffset});
    withCounters.push_back(
        {kSeedKey, runtime::DType::U64, {}, state->data() + kStateSeedOffset});
    Status status = runtime::restoreCheckpoint(path, withCounters);
    // A file of some variables, or of another program, has no counters.
    if (status.code() == runtime::StatusCode::kNotFound)
      return runtime::restoreCheckpoint(path, targets);
    return status;
  };
  if (Status status = restoreTargets(); !status.isOk())
    return status;
  for (size_t index : *indices)
    setHasValue(index);
  return {};
}

} // namespace flywheel
