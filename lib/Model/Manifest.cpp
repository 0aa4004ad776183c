//===- Manifest.cpp - The description of a model as an attribute ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/Manifest.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel {
constexpr StringLiteral kManifestAttrName =
    train::TrainDialect::getManifestAttrName();

namespace {
//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Collects the fields of one record of the attribute.
class RecordBuilder {
public:
  explicit RecordBuilder(Builder &builder) : builder(builder) {}

  void add(StringRef key, Attribute value) {
    fields.push_back(builder.getNamedAttr(key, value));
  }
  void add(StringRef key, StringRef value) {
    add(key, builder.getStringAttr(value));
  }
  void add(StringRef key, int64_t value) {
    add(key, builder.getI64IntegerAttr(value));
  }
  void add(StringRef key, ArrayRef<int64_t> value) {
    add(key, builder.getDenseI64ArrayAttr(value));
  }
  DictionaryAttr get() { return builder.getDictionaryAttr(fields); }

private:
  Builder &builder;
  SmallVector<NamedAttribute> fields;
};
} // namespace

static Attribute toAttr(Builder &b, const std::string &text) {
  return b.getStringAttr(text);
}

template <typename T>
static Attribute toAttr(Builder &b, const std::vector<T> &list);

static Attribute toAttr(Builder &b, const ManifestVariable &variable) {
  RecordBuilder record(b);
  record.add("name", StringRef(variable.name));
  record.add("type", TypeAttr::get(variable.type));
  record.add("offset", variable.offset);
  record.add("bytes", variable.bytes);
  record.add("trainable", b.getBoolAttr(variable.trainable));
  record.add("collections", toAttr(b, variable.collections));
  if (!variable.device.empty())
    record.add("device", StringRef(variable.device));
  if (!variable.slotOf.empty())
    record.add("slot_of", StringRef(variable.slotOf));
  if (!variable.initialReads.empty())
    record.add("initial_reads", ArrayRef<int64_t>(variable.initialReads));
  if (!variable.initialValues.empty())
    record.add("initial_values", ArrayRef<int64_t>(variable.initialValues));
  if (variable.start != VariableStart::Program)
    record.add("start", getName(variable.start));
  return record.get();
}

static Attribute toAttr(Builder &b, const ManifestArgument &argument) {
  RecordBuilder record(b);
  record.add("name", StringRef(argument.name));
  record.add("type", TypeAttr::get(argument.type));
  record.add("symbols", ArrayRef<int64_t>(argument.symbols));
  if (!argument.places.empty())
    record.add("places", toAttr(b, argument.places));
  return record.get();
}

static Attribute toAttr(Builder &b, const ManifestMessage &message) {
  RecordBuilder record(b);
  record.add("kind", getName(message.kind));
  record.add("text", StringRef(message.text));
  if (message.isOfData)
    record.add("of_data", int64_t{1});
  return record.get();
}

static Attribute toAttr(Builder &b, AffineMap map) {
  return AffineMapAttr::get(map);
}

static Attribute toAttr(Builder &b, const ManifestKernel &kernel);
static Attribute toAttr(Builder &b, const ManifestEntry &entry);

template <typename T>
static Attribute toAttr(Builder &b, const std::vector<T> &list) {
  return b.getArrayAttr(llvm::map_to_vector(
      list, [&](const T &element) { return toAttr(b, element); }));
}

static Attribute toAttr(Builder &b, const ManifestKernel &kernel) {
  RecordBuilder record(b);
  record.add("name", StringRef(kernel.name));
  record.add("phase", StringRef(kernel.phase));
  record.add("sources", toAttr(b, kernel.sources));
  for (auto [key, map] : {std::make_pair("iterations", kernel.iterations),
                          std::make_pair("flops", kernel.flops),
                          std::make_pair("bytes", kernel.bytes)})
    if (map)
      record.add(key, AffineMapAttr::get(map));
  return record.get();
}

static Attribute toAttr(Builder &b, const ManifestEntry &entry) {
  RecordBuilder record(b);
  record.add("name", StringRef(entry.name));
  record.add("feeds", toAttr(b, entry.feeds));
  record.add("results", toAttr(b, entry.results));
  record.add("symbols", toAttr(b, entry.symbols));
  if (!entry.symbolBounds.empty())
    record.add("bounds", ArrayRef<int64_t>(entry.symbolBounds));
  record.add("reads", ArrayRef<int64_t>(entry.reads));
  record.add("writes", ArrayRef<int64_t>(entry.writes));
  if (!entry.initializedValues.empty())
    record.add("initialized_values",
               ArrayRef<int64_t>(entry.initializedValues));
  record.add("workspace", toAttr(b, entry.workspaceSlots));
  record.add("checks", ArrayRef<int64_t>(entry.checks));
  if (entry.workers != 1)
    record.add("workers", entry.workers);
  if (!entry.kernels.empty())
    record.add("kernels", toAttr(b, entry.kernels));
  return record.get();
}

namespace {
//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads fields of records, and remembers and reports the first that is
/// missing or of another kind.
class ManifestReader {
public:
  explicit ManifestReader(ModuleOp module) : module(module) {}

  bool hasFailed() const { return failed; }

  void fail(const Twine &message) {
    if (!failed)
      module.emitError() << "malformed '" << kManifestAttrName
                         << "' attribute: " << message;
    failed = true;
  }

  template <typename AttrT>
  AttrT get(DictionaryAttr record, StringRef key, StringRef what) {
    auto value = record.getAs<AttrT>(key);
    if (!value)
      fail("expected " + what + " '" + key + "'" +
           (record.contains(key) ? ", found another kind of attribute"
                                 : ", found none"));
    return value;
  }

  void read(DictionaryAttr record, StringRef key, std::string &value) {
    if (auto attr = get<StringAttr>(record, key, "a string"))
      value = attr.str();
  }
  void read(DictionaryAttr record, StringRef key, int64_t &value) {
    if (auto attr = get<IntegerAttr>(record, key, "an integer"))
      value = attr.getValue().getSExtValue();
  }
  void read(DictionaryAttr record, StringRef key, bool &value) {
    if (auto attr = get<BoolAttr>(record, key, "a boolean"))
      value = attr.getValue();
  }
  void read(DictionaryAttr record, StringRef key, RankedTensorType &value) {
    auto attr = get<TypeAttr>(record, key, "a type");
    if (!attr)
      return;
    value = dyn_cast<RankedTensorType>(attr.getValue());
    if (!value)
      fail("expected '" + key + "' to be a ranked tensor type");
  }
  template <typename Container>
  void readIntegers(DictionaryAttr record, StringRef key, Container &value) {
    if (auto attr = get<DenseI64ArrayAttr>(record, key, "an array of integers"))
      value.assign(attr.asArrayRef().begin(), attr.asArrayRef().end());
  }

  /// Reads an array, each element of which is an `AttrT`.
  template <typename AttrT, typename Fn>
  void readList(DictionaryAttr record, StringRef key, Fn &&readElement) {
    auto array = get<ArrayAttr>(record, key, "an array");
    if (!array)
      return;
    for (Attribute element : array) {
      auto typed = dyn_cast<AttrT>(element);
      if (!typed)
        return fail("unexpected kind of element in '" + key + "'");
      readElement(typed);
    }
  }

private:
  ModuleOp module;
  bool failed = false;
};
} // namespace

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestVariable &variable) {
  reader.read(record, "name", variable.name);
  reader.read(record, "type", variable.type);
  reader.read(record, "offset", variable.offset);
  reader.read(record, "bytes", variable.bytes);
  reader.read(record, "trainable", variable.trainable);
  if (record.contains("collections")) {
    variable.collections.clear();
    reader.readList<StringAttr>(record, "collections", [&](StringAttr name) {
      variable.collections.push_back(name.str());
    });
  }
  if (record.contains("device"))
    reader.read(record, "device", variable.device);
  if (record.contains("slot_of"))
    reader.read(record, "slot_of", variable.slotOf);
  if (record.contains("initial_reads"))
    reader.readIntegers(record, "initial_reads", variable.initialReads);
  if (record.contains("initial_values"))
    reader.readIntegers(record, "initial_values", variable.initialValues);
  if (record.contains("start")) {
    std::string name;
    reader.read(record, "start", name);
    if (std::optional<VariableStart> start = parseVariableStart(name))
      variable.start = *start;
    else
      reader.fail("variable '" + variable.name + "' starts from '" + name +
                  "'");
  }
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestArgument &argument) {
  reader.read(record, "name", argument.name);
  reader.read(record, "type", argument.type);
  reader.readIntegers(record, "symbols", argument.symbols);
  if (record.contains("places"))
    reader.readList<StringAttr>(record, "places", [&](StringAttr place) {
      argument.places.push_back(place.str());
    });
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestMessage &message) {
  std::string kind;
  reader.read(record, "kind", kind);
  reader.read(record, "text", message.text);
  int64_t isOfData = 0;
  if (record.contains("of_data"))
    reader.read(record, "of_data", isOfData);
  message.isOfData = isOfData != 0;
  if (std::optional<StatusKind> found = getStatusKind(kind))
    message.kind = *found;
  else
    reader.fail("unknown kind of message '" + kind + "'");
}

template <typename T>
static void readRecords(ManifestReader &reader, DictionaryAttr record,
                        StringRef key, std::vector<T> &list) {
  reader.readList<DictionaryAttr>(record, key, [&](DictionaryAttr element) {
    read(reader, element, list.emplace_back());
  });
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestKernel &kernel) {
  reader.read(record, "name", kernel.name);
  reader.read(record, "phase", kernel.phase);
  reader.readList<StringAttr>(record, "sources", [&](StringAttr source) {
    kernel.sources.push_back(source.str());
  });
  auto readMap = [&](StringRef key, AffineMap &map) {
    if (!record.contains(key))
      return;
    if (auto attr = reader.get<AffineMapAttr>(record, key, "an affine map"))
      map = attr.getValue();
  };
  readMap("iterations", kernel.iterations);
  readMap("flops", kernel.flops);
  readMap("bytes", kernel.bytes);
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestEntry &entry) {
  reader.read(record, "name", entry.name);
  readRecords(reader, record, "feeds", entry.feeds);
  readRecords(reader, record, "results", entry.results);
  reader.readList<StringAttr>(record, "symbols", [&](StringAttr symbol) {
    entry.symbols.push_back(symbol.str());
  });
  if (record.contains("bounds"))
    reader.readIntegers(record, "bounds", entry.symbolBounds);
  reader.readIntegers(record, "reads", entry.reads);
  reader.readIntegers(record, "writes", entry.writes);
  if (record.contains("initialized_values"))
    reader.readIntegers(record, "initialized_values", entry.initializedValues);
  reader.readList<ArrayAttr>(record, "workspace", [&](ArrayAttr sizes) {
    auto &slot = entry.workspaceSlots.emplace_back();
    for (Attribute size : sizes) {
      auto map = dyn_cast<AffineMapAttr>(size);
      if (!map)
        return reader.fail("expected affine maps in 'workspace'");
      slot.push_back(map.getValue());
    }
  });
  reader.readIntegers(record, "checks", entry.checks);
  if (record.contains("workers"))
    reader.read(record, "workers", entry.workers);
  if (record.contains("kernels"))
    readRecords(reader, record, "kernels", entry.kernels);
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestProfile &profile) {
  reader.read(record, "offset", profile.offset);
  reader.read(record, "kernels", profile.kernels);
  reader.read(record, "workers", profile.workers);
  reader.read(record, "events", profile.events);
}

//===----------------------------------------------------------------------===//
// Consistency
//===----------------------------------------------------------------------===//

static void checkArgument(ManifestReader &reader, const ManifestEntry &entry,
                          const ManifestArgument &argument) {
  std::string where = "'" + argument.name + "' of entry '" + entry.name + "'";
  auto rank = static_cast<size_t>(argument.type.getRank());
  if (argument.symbols.size() != rank ||
      (!argument.places.empty() && argument.places.size() != rank))
    return reader.fail("expected one symbol a dimension for " + where);
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    bool dynamic = ShapedType::isDynamic(dimSize);
    if (dynamic != (symbol >= 0) ||
        symbol >= static_cast<int64_t>(entry.symbols.size()))
      return reader.fail("a symbol that does not fit the type of " + where);
  }
}

static void checkIndices(ManifestReader &reader, ArrayRef<int64_t> indices,
                         size_t size, StringRef what) {
  for (int64_t index : indices)
    if (index < 0 || index >= static_cast<int64_t>(size))
      reader.fail("index " + Twine(index) + " of " + what + " is out of range");
}

static void checkEntry(ManifestReader &reader, const Manifest &manifest,
                       const ManifestEntry &entry) {
  for (const ManifestArgument &feed : entry.feeds)
    checkArgument(reader, entry, feed);
  for (const ManifestArgument &result : entry.results)
    checkArgument(reader, entry, result);
  checkIndices(reader, entry.reads, manifest.variables.size(), "a variable");
  checkIndices(reader, entry.writes, manifest.variables.size(), "a variable");
  checkIndices(reader, entry.initializedValues, manifest.variables.size(),
               "a variable");
  checkIndices(reader, entry.checks, manifest.messages.size(), "a message");
  for (const std::vector<AffineMap> &slot : entry.workspaceSlots)
    for (AffineMap map : slot)
      if (map.getNumDims() != 0 || map.getNumResults() != 1 ||
          map.getNumSymbols() > entry.symbols.size())
        reader.fail("expected workspace sizes of '" + entry.name +
                    "' to map its symbols to one result");
  if (!entry.symbolBounds.empty() &&
      entry.symbolBounds.size() != entry.symbols.size())
    reader.fail("expected a bound of each dimension size of entry '" +
                entry.name + "'");
  if (entry.workers < 1 || entry.workers > manifest.threads)
    reader.fail("expected 1 to " + Twine(manifest.threads) +
                " workers of entry '" + entry.name + "', found " +
                Twine(entry.workers));
  for (const ManifestKernel &kernel : entry.kernels)
    for (AffineMap map : {kernel.iterations, kernel.flops, kernel.bytes})
      if (map && (map.getNumDims() != 0 || map.getNumResults() != 1 ||
                  map.getNumSymbols() > entry.symbols.size()))
        reader.fail("expected numbers of kernel '" + kernel.name +
                    "' to map the symbols of its entry to one result");
  for (size_t symbol = 0; symbol < entry.symbols.size(); ++symbol)
    if (llvm::none_of(entry.feeds, [&](const ManifestArgument &feed) {
          return llvm::is_contained(feed.symbols, static_cast<int64_t>(symbol));
        }))
      reader.fail("no feed of entry '" + entry.name +
                  "' has the dimension size '" + entry.symbols[symbol] + "'");
}

static void checkVariable(ManifestReader &reader, const Manifest &manifest,
                          const ManifestVariable &variable) {
  if (!variable.type.hasStaticShape())
    reader.fail("variable '" + variable.name + "' has a dynamic shape");
  checkIndices(reader, variable.initialReads, manifest.variables.size(),
               "a variable");
  checkIndices(reader, variable.initialValues, manifest.variables.size(),
               "a variable");
  if (variable.offset < 0 || variable.bytes < 0 ||
      variable.offset > manifest.stateBytes - variable.bytes)
    reader.fail("variable '" + variable.name + "' is outside the state block");
}

static void checkProfile(ManifestReader &reader, const Manifest &manifest) {
  if (!manifest.profile)
    return;
  const ManifestProfile &profile = *manifest.profile;
  size_t kernels = 0;
  for (const ManifestEntry &entry : manifest.entries)
    kernels += entry.kernels.size();
  if (profile.kernels != static_cast<int64_t>(kernels))
    reader.fail("expected " + Twine(kernels) + " kernels in 'profile', found " +
                Twine(profile.kernels));
  constexpr int64_t kMaxEvents = int64_t{1} << 24;
  if (profile.workers < 1 || profile.workers > kMaxThreads ||
      profile.events < 0 || profile.events > kMaxEvents)
    return reader.fail("expected 1 to " + Twine(kMaxThreads) +
                       " workers and 0 to " + Twine(kMaxEvents) +
                       " events in 'profile', found " + Twine(profile.workers) +
                       " and " + Twine(profile.events));
  if (profile.offset < 0 ||
      profile.offset >
          manifest.stateBytes - profile.workers * profile.getStride())
    reader.fail("the profile is outside the state block");
}

bool ManifestVariable::isInCollection(StringRef collection) const {
  return llvm::is_contained(collections, collection);
}

std::vector<std::string> ManifestVariable::describe() const {
  std::vector<std::string> notes;
  if (!slotOf.empty())
    notes.push_back("slot of " + slotOf);
  else if (!trainable)
    notes.push_back("not trainable");
  // The notes above imply whether the variable is in TRAINABLE.
  std::vector<std::string> others;
  for (const std::string &name : collections)
    if (name != "TRAINABLE")
      others.push_back(name);
  if (others != std::vector<std::string>{"GLOBAL"})
    notes.push_back(others.empty() ? "in no collection"
                                   : "in " + llvm::join(others, " and "));
  if (!device.empty())
    notes.push_back("on " + device);
  return notes;
}

const ManifestEntry *Manifest::lookupEntry(StringRef name) const {
  for (const ManifestEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

int64_t Manifest::lookupVariable(StringRef name) const {
  for (auto [index, variable] : llvm::enumerate(variables))
    if (variable.name == name)
      return index;
  return -1;
}

void Manifest::attachTo(ModuleOp module) const {
  Builder builder(module.getContext());
  RecordBuilder record(builder);
  record.add("model", StringRef(model));
  record.add("layout_hash", static_cast<int64_t>(layoutHash));
  record.add("state_bytes", stateBytes);
  record.add("variables", toAttr(builder, variables));
  record.add("entries", toAttr(builder, entries));
  record.add("messages", toAttr(builder, messages));
  if (!strings.empty())
    record.add("strings", toAttr(builder, strings));
  if (!constants.empty())
    record.add("constants", toAttr(builder, constants));
  if (threads != 1)
    record.add("threads", threads);
  if (profile) {
    RecordBuilder part(builder);
    part.add("offset", profile->offset);
    part.add("kernels", profile->kernels);
    part.add("workers", profile->workers);
    part.add("events", profile->events);
    record.add("profile", part.get());
  }
  if (isOnGPU)
    record.add("gpu", int64_t{1});
  module->setAttr(kManifestAttrName, record.get());
}

FailureOr<Manifest> Manifest::readFrom(ModuleOp module) {
  auto record = module->getAttrOfType<DictionaryAttr>(kManifestAttrName);
  if (!record) {
    module.emitError() << "expected a dictionary '" << kManifestAttrName
                       << "' on the module, which the lowering of state "
                          "attaches";
    return failure();
  }
  ManifestReader reader(module);
  Manifest manifest;
  int64_t hash = 0;
  reader.read(record, "model", manifest.model);
  reader.read(record, "layout_hash", hash);
  reader.read(record, "state_bytes", manifest.stateBytes);
  readRecords(reader, record, "variables", manifest.variables);
  readRecords(reader, record, "entries", manifest.entries);
  readRecords(reader, record, "messages", manifest.messages);
  if (record.contains("strings"))
    reader.readList<StringAttr>(record, "strings", [&](StringAttr text) {
      manifest.strings.push_back(text.str());
    });
  if (record.contains("constants"))
    reader.readList<StringAttr>(record, "constants", [&](StringAttr name) {
      manifest.constants.push_back(name.str());
    });
  if (record.contains("threads"))
    reader.read(record, "threads", manifest.threads);
  if (record.contains("profile"))
    if (auto part = reader.get<DictionaryAttr>(record, "profile", "a record"))
      read(reader, part, manifest.profile.emplace());
  int64_t gpu = 0;
  if (record.contains("gpu"))
    reader.read(record, "gpu", gpu);
  manifest.isOnGPU = gpu != 0;
  manifest.layoutHash = static_cast<uint64_t>(hash);
  if (reader.hasFailed())
    return failure();

  int64_t headerBytes = getStateHeaderBytes(manifest.variables.size());
  if (manifest.stateBytes < headerBytes)
    reader.fail("expected 'state_bytes' to cover the header, " +
                Twine(headerBytes) + " bytes, found " +
                Twine(manifest.stateBytes));
  if (manifest.threads < 1 || manifest.threads > kMaxThreads)
    reader.fail("expected 1 to " + Twine(kMaxThreads) +
                " as 'threads', found " + Twine(manifest.threads));
  checkProfile(reader, manifest);
  for (const ManifestVariable &variable : manifest.variables)
    checkVariable(reader, manifest, variable);
  for (const ManifestEntry &entry : manifest.entries)
    checkEntry(reader, manifest, entry);
  if (reader.hasFailed())
    return failure();
  return manifest;
}

uint64_t hashTexts(ArrayRef<std::string> texts) {
  uint64_t hash = 0xcbf29ce484222325ull;
  auto mix = [&](unsigned char byte) {
    hash ^= byte;
    hash *= 0x100000001b3ull;
  };
  for (StringRef text : texts) {
    for (char byte : text)
      mix(static_cast<unsigned char>(byte));
    // A separator, so that texts do not run into each other.
    mix(0xff);
  }
  return hash ? hash : 1;
}

uint64_t computeLayoutHash(ArrayRef<ManifestVariable> variables,
                           ArrayRef<std::string> strings) {
  std::vector<std::string> texts;
  for (const ManifestVariable &variable : variables) {
    std::string type;
    llvm::raw_string_ostream(type) << variable.type;
    texts.insert(texts.end(),
                 {variable.name, type, std::to_string(variable.offset)});
  }
  for (const std::string &text : strings)
    texts.push_back(std::to_string(text.size()) + ":" + text);
  return hashTexts(texts);
}

} // namespace flywheel
