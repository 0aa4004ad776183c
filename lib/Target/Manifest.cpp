//===- Manifest.cpp - The description of a model as an attribute ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Manifest.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {
constexpr StringLiteral kManifestAttrName = "train.manifest";

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
  return record.get();
}

static Attribute toAttr(Builder &b, const ManifestArgument &argument) {
  RecordBuilder record(b);
  record.add("name", StringRef(argument.name));
  record.add("type", TypeAttr::get(argument.type));
  record.add("symbols", ArrayRef<int64_t>(argument.symbols));
  return record.get();
}

static Attribute toAttr(Builder &b, const ManifestMessage &message) {
  StringRef kind = "invalid_argument";
  if (message.kind == StatusKind::FailedPrecondition)
    kind = "failed_precondition";
  else if (message.kind == StatusKind::NotFound)
    kind = "not_found";
  RecordBuilder record(b);
  record.add("kind", kind);
  record.add("text", StringRef(message.text));
  return record.get();
}

static Attribute toAttr(Builder &b, AffineMap map) {
  return AffineMapAttr::get(map);
}

static Attribute toAttr(Builder &b, const ManifestEntry &entry);

template <typename T>
static Attribute toAttr(Builder &b, const std::vector<T> &list) {
  return b.getArrayAttr(llvm::map_to_vector(
      list, [&](const T &element) { return toAttr(b, element); }));
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
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestArgument &argument) {
  reader.read(record, "name", argument.name);
  reader.read(record, "type", argument.type);
  reader.readIntegers(record, "symbols", argument.symbols);
}

static void read(ManifestReader &reader, DictionaryAttr record,
                 ManifestMessage &message) {
  std::string kind;
  reader.read(record, "kind", kind);
  reader.read(record, "text", message.text);
  if (kind == "invalid_argument")
    message.kind = StatusKind::InvalidArgument;
  else if (kind == "failed_precondition")
    message.kind = StatusKind::FailedPrecondition;
  else if (kind == "not_found")
    message.kind = StatusKind::NotFound;
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
}

//===----------------------------------------------------------------------===//
// Consistency
//===----------------------------------------------------------------------===//

static void checkArgument(ManifestReader &reader, const ManifestEntry &entry,
                          const ManifestArgument &argument) {
  std::string where = "'" + argument.name + "' of entry '" + entry.name + "'";
  if (static_cast<int64_t>(argument.symbols.size()) != argument.type.getRank())
    return reader.fail("expected one symbol a dimension for " + where);
  for (auto [extent, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    bool dynamic = ShapedType::isDynamic(extent);
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
    reader.fail("expected a bound of each extent of entry '" + entry.name +
                "'");
  for (size_t symbol = 0; symbol < entry.symbols.size(); ++symbol)
    if (llvm::none_of(entry.feeds, [&](const ManifestArgument &feed) {
          return llvm::is_contained(feed.symbols, static_cast<int64_t>(symbol));
        }))
      reader.fail("no feed of entry '" + entry.name + "' has the extent '" +
                  entry.symbols[symbol] + "'");
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

namespace {
/// The numbers from `low` to `high`: no limit where one is none, or is no
/// number of 64 bits.
struct SizeRange {
  std::optional<int64_t> low, high;

  SizeRange() = default;
  explicit SizeRange(int64_t number) : low(number), high(number) {}
  SizeRange(std::optional<int64_t> low, std::optional<int64_t> high)
      : low(low), high(high) {}

  bool isNumber(int64_t number) const {
    return low == number && high == number;
  }
};
} // namespace

/// The product of two ranges. Nothing times any number is nothing.
static SizeRange multiply(const SizeRange &a, const SizeRange &b) {
  if (a.isNumber(0) || b.isNumber(0))
    return SizeRange(0);
  auto multiplyEnds = [](std::optional<int64_t> x, std::optional<int64_t> y) {
    return x && y ? llvm::checkedMul(*x, *y) : std::nullopt;
  };
  if (a.low >= 0 && b.low >= 0)
    return {multiplyEnds(a.low, b.low), multiplyEnds(a.high, b.high)};
  std::optional<int64_t> ends[] = {
      multiplyEnds(a.low, b.low), multiplyEnds(a.low, b.high),
      multiplyEnds(a.high, b.low), multiplyEnds(a.high, b.high)};
  if (llvm::is_contained(ends, std::nullopt))
    return {};
  return {*llvm::min_element(ends), *llvm::max_element(ends)};
}

/// The quotients of a number in `a` and one in `b`, which is positive: the
/// nearer to 0 the divisor, the farther from 0 the quotient.
template <typename DivideFn>
static SizeRange divide(const SizeRange &a, const SizeRange &b,
                        DivideFn divide) {
  auto divideEnd = [&](std::optional<int64_t> end, bool byLeast) {
    std::optional<int64_t> divisor = byLeast ? b.low : b.high;
    if (!end)
      return end;
    return std::optional<int64_t>(divisor ? divide(*end, *divisor) : 0);
  };
  return {divideEnd(a.low, a.low < 0), divideEnd(a.high, a.high >= 0)};
}

/// The values of `expr` where its symbols are in `symbols`.
static SizeRange evaluate(AffineExpr expr, ArrayRef<SizeRange> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeRange(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeRange lhs = evaluate(binary.getLHS(), symbols),
            rhs = evaluate(binary.getRHS(), symbols);
  auto addEnds = [](std::optional<int64_t> x, std::optional<int64_t> y) {
    return x && y ? llvm::checkedAdd(*x, *y) : std::nullopt;
  };
  if (expr.getKind() == AffineExprKind::Add)
    return {addEnds(lhs.low, rhs.low), addEnds(lhs.high, rhs.high)};
  if (expr.getKind() == AffineExprKind::Mul)
    return multiply(lhs, rhs);
  // Upstream gives a divisor that is not positive no meaning.
  if (!rhs.low || *rhs.low <= 0)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    if (lhs.low && lhs.low == lhs.high && rhs.low == rhs.high)
      return SizeRange(llvm::mod(*lhs.low, *rhs.low));
    return {0, addEnds(rhs.high, -1)};
  case AffineExprKind::FloorDiv:
    return divide(lhs, rhs, llvm::divideFloorSigned<int64_t, int64_t>);
  case AffineExprKind::CeilDiv:
    return divide(lhs, rhs, llvm::divideCeilSigned<int64_t, int64_t>);
  default:
    llvm_unreachable("a workspace size has no dimensions");
  }
}

/// The largest of the sizes in `range`.
static CheckedSize getLargest(const SizeRange &range) {
  return range.high ? CheckedSize(std::max<int64_t>(*range.high, 0))
                    : kMaxSize + 1;
}

/// Bytes of `slots` where each symbol is in its range.
static CheckedSize addSlots(ArrayRef<std::vector<AffineMap>> slots,
                            ArrayRef<SizeRange> symbols) {
  CheckedSize total = 0;
  for (const std::vector<AffineMap> &slot : slots) {
    CheckedSize largest = 0;
    for (AffineMap map : slot)
      largest = max(largest, getLargest(evaluate(map.getResult(0), symbols)));
    total += largest.alignTo(kStateAlignment);
  }
  return total;
}

static SmallVector<SizeRange> getExactRanges(ArrayRef<int64_t> symbols) {
  return llvm::map_to_vector(symbols,
                             [](int64_t symbol) { return SizeRange(symbol); });
}

static SmallVector<SizeRange> getRangesUpTo(ArrayRef<int64_t> bounds) {
  return llvm::map_to_vector(bounds,
                             [](int64_t bound) { return SizeRange(0, bound); });
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
  // TRAINABLE is said by the words above, or by their absence.
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

CheckedSize evaluateSize(AffineExpr size, ArrayRef<int64_t> symbols) {
  return getLargest(evaluate(size, getExactRanges(symbols)));
}

CheckedSize evaluateLargestSize(AffineExpr size, ArrayRef<int64_t> bounds) {
  return getLargest(evaluate(size, getRangesUpTo(bounds)));
}

bool isNeverNegative(AffineExpr size, unsigned numSymbols) {
  SmallVector<SizeRange> sizes(numSymbols, SizeRange(0, std::nullopt));
  return evaluate(size, sizes).low >= 0;
}

CheckedSize ManifestEntry::getWorkspaceBytes(ArrayRef<int64_t> extents) const {
  assert(extents.size() == symbols.size() && "one extent a symbol");
  return addSlots(workspaceSlots, getExactRanges(extents));
}

CheckedSize
ManifestEntry::getMaxWorkspaceBytes(ArrayRef<int64_t> bounds) const {
  assert(bounds.size() == symbols.size() && "one bound a symbol");
  return addSlots(workspaceSlots, getRangesUpTo(bounds));
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

ExtentBounds Manifest::getBounds(int64_t others) const {
  ExtentBounds bounds = others;
  for (const ManifestEntry &entry : entries)
    for (auto [name, bound] : llvm::zip(entry.symbols, entry.symbolBounds))
      if (bound > 0)
        bounds.named[name] = bound;
  return bounds;
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
  manifest.layoutHash = static_cast<uint64_t>(hash);
  if (reader.hasFailed())
    return failure();

  int64_t headerBytes = getStateHeaderBytes(manifest.variables.size());
  if (manifest.stateBytes < headerBytes)
    reader.fail("expected 'state_bytes' to cover the header, " +
                Twine(headerBytes) + " bytes, found " +
                Twine(manifest.stateBytes));
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

std::vector<int64_t>
ExtentBounds::lookupAll(ArrayRef<std::string> names) const {
  std::vector<int64_t> bounds;
  for (const std::string &name : names)
    bounds.push_back(lookup(name));
  return bounds;
}

llvm::Error ExtentBounds::add(StringRef text) {
  // A name may hold any character, a number no `=`.
  auto [name, number] = text.rsplit('=');
  int64_t bound;
  if (name.empty() || number.getAsInteger(10, bound))
    return llvm::createStringError(
        "expected NAME=N, such as time=256, found '" + text + "'");
  if (bound < 1 || bound > kMaxExtentBound)
    return llvm::createStringError("expected a bound of '" + name +
                                   "' within [1, " + Twine(kMaxExtentBound) +
                                   "], found " + Twine(bound));
  auto [known, isNew] = named.try_emplace(name.str(), bound);
  if (!isNew && known->second != bound)
    return llvm::createStringError("expected one bound of '" + name +
                                   "', found " + Twine(known->second) +
                                   " and " + Twine(bound));
  return llvm::Error::success();
}

std::vector<std::string> ExtentBounds::format() const {
  std::vector<std::string> texts;
  for (const auto &[name, bound] : named)
    texts.push_back(name + "=" + std::to_string(bound));
  return texts;
}

} // namespace flywheel
