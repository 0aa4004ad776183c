//===- Session.cpp - Variables and the calls that change them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Session.h"
#include "flywheel/Dialect/Train/Device.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Runtime/GPU.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel {

static_assert(runtime::kMaxThreads == kMaxThreads,
              "a team has room for the threads of every model");

template <typename T>
static T loadHeader(const std::byte *block, int64_t offset) {
  T value;
  std::memcpy(&value, block + offset, sizeof(T));
  return value;
}

Session::Session(std::shared_ptr<const Program> program,
                 std::shared_ptr<AlignedBuffer> state,
                 std::shared_ptr<runtime::StringTable> strings)
    : program(std::move(program)), state(std::move(state)),
      strings(std::move(strings)),
      variableTexts(this->program->getVariables().size()),
      team(static_cast<int32_t>(this->program->getManifest().threads)) {}

/// Returns the error that memory has no room for the variables; it names the
/// largest one.
static Status makeNoMemoryError(const Program &program) {
  std::string text = "no memory for " +
                     std::to_string(program.getManifest().stateBytes) +
                     " bytes of variables";
  const std::vector<VariableSpec> &variables = program.getVariables();
  if (variables.empty())
    return Status::resourceExhausted(text);
  const VariableSpec &largest = *llvm::max_element(
      variables, [](const VariableSpec &one, const VariableSpec &other) {
        return one.bytes < other.bytes;
      });
  return Status::resourceExhausted(text + ", of which '" + largest.name +
                                   "' has " + std::to_string(largest.bytes));
}

/// Checks that every variable can be on the device that it requests.
static Status placeVariables(const Manifest &manifest,
                             const SessionOptions &options) {
  for (const ManifestVariable &variable : manifest.variables) {
    if (variable.device.empty())
      continue;
    llvm::FailureOr<train::DeviceSpec> device =
        train::DeviceSpec::parse(variable.device);
    if (succeeded(device) && device->isAvailable(manifest.isOnGPU))
      continue;
    std::string text = "Cannot assign a device to variable '" + variable.name +
                       "': it is to be on '" + variable.device +
                       "', and the available devices are: /cpu:0" +
                       (manifest.isOnGPU ? ", /gpu:0" : "");
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
  std::shared_ptr<AlignedBuffer> state(
      new AlignedBuffer, [](AlignedBuffer *block) {
        runtime::releaseGPUState(block->data());
        delete block;
      });
  if (!state->reserve(program->getManifest().stateBytes))
    return makeNoMemoryError(*program);
  // A block of this layout in which nothing has a value yet, so that an entry
  // that only assigns needs no initializer first.
  uint64_t hash = program->getManifest().layoutHash;
  std::memcpy(state->data() + kStateHashOffset, &hash, sizeof(hash));
  auto strings =
      std::make_shared<runtime::StringTable>(program->getManifest().strings);
  return std::unique_ptr<Session>(
      new Session(std::move(program), std::move(state), std::move(strings)));
}

std::unique_ptr<Session> Session::share(const Session &other) {
  return std::unique_ptr<Session>(
      new Session(other.program, other.state, other.strings));
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

Status Session::setThreads(int64_t threads) {
  int64_t most = program->getManifest().threads;
  if (threads < 1 || threads > most)
    return Status::invalidArgument(
        "expected 1 to " + std::to_string(most) + " threads, which model '" +
        program->getManifest().model + "' is compiled for, found " +
        std::to_string(threads));
  team.setWorkers(static_cast<int32_t>(threads));
  return {};
}

Status Session::startProfile() {
  const Manifest &manifest = program->getManifest();
  if (!manifest.profile)
    return Status::failedPrecondition("expected model '" + manifest.model +
                                      "' to be compiled for profiles, found "
                                      "one without: compile it with profile");
  if (profiler)
    return Status::failedPrecondition("expected the profile of this session "
                                      "that was started first to have ended");
  // Measured here rather than after the calls, when the machine may have slowed
  // down; a kernel may use one worker or all of them.
  if (!manifest.isOnGPU) {
    runtime::measurePeak(1);
    runtime::measurePeak(team.getWorkers());
  }
  profiler = std::make_unique<Profiler>(manifest);
  return {};
}

Result<Profile> Session::stopProfile() {
  if (!profiler)
    return Status::failedPrecondition(
        "expected a profile that was started, found none");
  Profile profile = profiler->finish();
  profiler.reset();
  return profile;
}

int32_t Session::callEntry(const EntrySpec &entry, const void *const *feeds,
                           llvm::ArrayRef<int64_t> dimSizes,
                           void *const *results) {
  if (!profiler)
    return callFunction(entry, feeds, dimSizes.data(), results);
  profiler->begin(state->data());
  int32_t status = callFunction(entry, feeds, dimSizes.data(), results);
  profiler->end(state->data(), *entry.manifest, dimSizes, team.getWorkers());
  return status;
}

int32_t Session::callFunction(const EntrySpec &entry, const void *const *feeds,
                              const int64_t *dimSizes, void *const *results) {
  if (entry.function)
    return entry.function(state->data(), workspace.data(), feeds, dimSizes,
                          results);
  // The kernel may be for fewer workers than the model.
  int32_t most = team.getWorkers();
  team.setWorkers(
      static_cast<int32_t>(std::min<int64_t>(most, entry.manifest->workers)));
  int32_t status = entry.teamFunction(state->data(), workspace.data(), feeds,
                                      dimSizes, results, team.get());
  team.setWorkers(most);
  return status;
}

Status Session::runInitializer(uint64_t seed, const uint8_t *select) {
  if (const ManifestEntry *entry = program->getManifest().lookupEntry("init"))
    // Its sizes are static, and were checked when it was compiled.
    if (Status status =
            reserveWorkspace(entry->getWorkspaceBytes({}).getSaturated());
        !status.isOk())
      return status;
  const void *feeds[] = {&seed, select};
  int32_t status =
      program->getInitializer()(state->data(), workspace.data(), feeds,
                                /*dimSizes=*/nullptr, /*results=*/nullptr);
  return status == 0 ? Status() : describeStatus(status);
}

Status Session::describeStatus(int32_t status) const {
  const std::byte *block = state->data();
  // A negative status is not a message of the program; its text is in the
  // block.
  if (status < 0) {
    const std::byte *text =
        block + getStateTextOffset(program->getVariables().size());
    return {status == runtime::kStatusNoDeviceMemory
                ? runtime::StatusCode::kResourceExhausted
                : runtime::StatusCode::kFailedPrecondition,
            reinterpret_cast<const char *>(text)};
  }
  Status result = program->getStatus(status);
  std::string text = formatNumbers(result.message(), block);
  return result.isOfData() ? Status::invalidData(std::move(text))
                           : Status(result.code(), std::move(text));
}

Status Session::initialize(uint64_t seed) {
  return runInitializer(seed, /*select=*/nullptr);
}

Status Session::initialize(uint64_t seed, llvm::ArrayRef<std::string> names) {
  std::vector<uint8_t> select(program->getVariables().size(), 0);
  for (const std::string &name : names) {
    Result<size_t> index = program->lookupVariable(name);
    if (!index.isOk())
      return index.status();
    select[*index] = 1;
  }
  return runInitializer(seed, select.data());
}

Status Session::initializeCollection(uint64_t seed,
                                     llvm::StringRef collection) {
  std::vector<uint8_t> select;
  for (const ManifestVariable &variable : program->getManifest().variables)
    select.push_back(variable.isInCollection(collection));
  return runInitializer(seed, select.data());
}

Status Session::initializeMissing(uint64_t seed) {
  std::vector<uint8_t> select;
  for (size_t index = 0; index < program->getVariables().size(); ++index)
    select.push_back(!hasValue(index));
  if (llvm::is_contained(select, 1))
    return runInitializer(seed, select.data());
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

static Status makeLostError() {
  return Status::failedPrecondition(
      "the GPU does not give the variables back: the device is lost");
}

Status Session::bringToHost(bool forWriting) const {
  bool isThere = forWriting ? runtime::writeGPUStateOnHost(state->data())
                            : runtime::readGPUStateOnHost(state->data());
  return isThere ? Status() : makeLostError();
}

Result<ArrayView> Session::getVariable(llvm::StringRef name) const {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  const VariableSpec &variable = program->getVariables()[*index];
  if (!hasValue(*index))
    return makeUninitializedError(variable.name);
  if (Status status = bringToHost(/*forWriting=*/false); !status.isOk())
    return status;
  if (variable.dtype != runtime::DType::String)
    return ArrayView{variable.dtype, variable.shape,
                     state->data() + variable.offset};
  std::vector<std::string_view> &texts = variableTexts[*index];
  texts.clear();
  for (int64_t number : getNumbers(*index))
    texts.push_back(strings->text(number));
  return ArrayView{variable.dtype, variable.shape, texts.data()};
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
  if (Status status = bringToHost(/*forWriting=*/true); !status.isOk())
    return status;
  if (variable.dtype == runtime::DType::String) {
    const auto *texts = static_cast<const std::string_view *>(value.data);
    for (int64_t &number : getNumbers(*index))
      number = strings->intern(*texts++);
  } else if (variable.bytes != 0) {
    std::memmove(state->data() + variable.offset, value.data, variable.bytes);
  }
  setHasValue(*index);
  collectStrings();
  return {};
}

Result<bool> Session::isInitialized(llvm::StringRef name) const {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  return hasValue(*index);
}

std::vector<std::string> Session::reportUninitialized() const {
  std::vector<std::string> names, locals;
  for (auto [index, variable] :
       llvm::enumerate(program->getManifest().variables)) {
    if (hasValue(index))
      continue;
    if (variable.isInCollection(kGlobalCollection))
      names.push_back(variable.name);
    else if (variable.isInCollection(kLocalCollection))
      locals.push_back(variable.name);
  }
  names.insert(names.end(), locals.begin(), locals.end());
  return names;
}

Result<uint64_t> Session::getRunCounter(llvm::StringRef name) const {
  Result<size_t> index = program->lookupVariable(name);
  if (!index.isOk())
    return index.status();
  size_t count = program->getVariables().size();
  return loadHeader<uint64_t>(state->data(),
                              getStateRunsOffset(count) + 8 * *index);
}

uint64_t Session::getSeed() const {
  return loadHeader<uint64_t>(state->data(), kStateSeedOffset);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

runtime::ProgramState Session::describeState() const {
  // For one who saves or restores.
  runtime::writeGPUStateOnHost(state->data());
  runtime::ProgramState described;
  described.model = program->getManifest().model;
  described.seed = state->data() + kStateSeedOffset;
  described.strings = strings.get();
  const std::vector<VariableSpec> &variables = program->getVariables();
  std::byte *runs = state->data() + getStateRunsOffset(variables.size());
  for (size_t index = 0; index < variables.size(); ++index)
    described.variables.push_back(
        {variables[index].name, variables[index].dtype, variables[index].shape,
         state->data() + variables[index].offset,
         state->data() + kStateInitializedOffset + index,
         runs + index * sizeof(uint64_t),
         program->getManifest().variables[index].isInCollection(
             kGlobalCollection)});
  return described;
}

Status Session::save(const std::string &path,
                     const runtime::CheckpointOptions &options) const {
  return runtime::saveVariables(describeState(), path, options);
}

Result<std::string>
Session::save(runtime::CheckpointManager &manager, const std::string &prefix,
              std::optional<int64_t> step,
              const runtime::CheckpointOptions &options) const {
  return runtime::saveVariables(describeState(), manager, prefix, step,
                                options);
}

Status Session::restore(const std::string &path,
                        const runtime::CheckpointOptions &options) {
  Status status = runtime::restoreVariables(describeState(), path, options);
  collectStrings();
  return status;
}

Result<bool> Session::restoreLatest(const std::string &directory,
                                    const runtime::CheckpointOptions &options,
                                    const std::string &stateFile) {
  Result<bool> restored =
      runtime::restoreLatest(describeState(), directory, options, stateFile);
  collectStrings();
  return restored;
}

} // namespace flywheel
