//===- CNames.cpp - How a model is spelled in C ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/CNames.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

/// True for the keywords of C99 and C++17, and what <stdint.h> users expect.
static bool isReservedInC(StringRef name) {
  static const llvm::StringSet<> reserved = {
      "alignas",       "alignof",     "and",
      "and_eq",        "asm",         "auto",
      "bitand",        "bitor",       "bool",
      "break",         "case",        "catch",
      "char",          "class",       "compl",
      "const",         "const_cast",  "constexpr",
      "continue",      "decltype",    "default",
      "delete",        "do",          "double",
      "dynamic_cast",  "else",        "enum",
      "explicit",      "export",      "extern",
      "false",         "float",       "for",
      "friend",        "goto",        "if",
      "inline",        "int",         "long",
      "mutable",       "namespace",   "new",
      "noexcept",      "not",         "not_eq",
      "nullptr",       "operator",    "or",
      "or_eq",         "private",     "protected",
      "public",        "register",    "reinterpret_cast",
      "restrict",      "return",      "short",
      "signed",        "sizeof",      "static",
      "static_assert", "static_cast", "struct",
      "switch",        "template",    "this",
      "thread_local",  "throw",       "true",
      "try",           "typedef",     "typeid",
      "typename",      "typeof",      "union",
      "unsigned",      "using",       "virtual",
      "void",          "volatile",    "wchar_t",
      "while",         "xor",         "xor_eq",
      "int8_t",        "int16_t",     "int32_t",
      "int64_t",       "uint8_t",     "uint16_t",
      "uint32_t",      "uint64_t"};
  return reserved.contains(name);
}

std::string toCIdentifier(StringRef name) {
  std::string identifier;
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  if (identifier.empty() || llvm::isDigit(identifier.front()) ||
      isReservedInC(identifier))
    identifier.insert(identifier.begin(), '_');
  return identifier;
}

std::string toCMacro(StringRef name) {
  return StringRef(toCIdentifier(name)).upper();
}

namespace {
struct ElementNames {
  StringRef c, dtype;
};
} // namespace

static ElementNames getElementNames(Type type) {
  if (type.isF32())
    return {"float", "float32"};
  if (type.isF64())
    return {"double", "float64"};
  if (type.isF16())
    return {"uint16_t", "float16"};
  if (type.isBF16())
    return {"uint16_t", "bfloat16"};
  if (type.isIndex())
    return {"int64_t", "int64"};
  if (isa<train::StringType>(type))
    return {"int64_t", "string"};
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return {"uint8_t", "bool"};
  case 8:
    return isUnsigned ? ElementNames{"uint8_t", "uint8"}
                      : ElementNames{"int8_t", "int8"};
  case 16:
    return isUnsigned ? ElementNames{"uint16_t", "uint16"}
                      : ElementNames{"int16_t", "int16"};
  case 32:
    return isUnsigned ? ElementNames{"uint32_t", "uint32"}
                      : ElementNames{"int32_t", "int32"};
  case 64:
    return isUnsigned ? ElementNames{"uint64_t", "uint64"}
                      : ElementNames{"int64_t", "int64"};
  default:
    return {};
  }
}

StringRef getCType(Type elementType) { return getElementNames(elementType).c; }

StringRef getDTypeName(Type elementType) {
  return getElementNames(elementType).dtype;
}

static std::string joinShape(ArrayRef<std::string> extents) {
  std::string text = "(" + llvm::join(extents, ", ");
  return text + (extents.size() == 1 ? ",)" : ")");
}

std::string formatShape(ArrayRef<int64_t> shape) {
  return joinShape(llvm::map_to_vector(shape, [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? std::string("?")
                                         : std::to_string(extent);
  }));
}

std::string formatShape(const ManifestArgument &argument,
                        const ManifestEntry *entry) {
  if (!entry)
    return formatShape(argument.type.getShape());
  SmallVector<std::string> extents;
  for (auto [extent, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols))
    extents.push_back(symbol < 0 ? std::to_string(extent)
                                 : entry->symbols[symbol]);
  return joinShape(extents);
}

std::string getEntrySymbol(const Manifest &manifest,
                           const ManifestEntry &entry) {
  // The prefix makes any name of an entry legal, a keyword too.
  std::string symbol = toCIdentifier(manifest.model) + "_";
  for (char c : entry.name)
    symbol += llvm::isAlnum(c) ? c : '_';
  return symbol;
}

ArrayRef<StringRef> getReservedCNames() {
  static const StringRef names[] = {
      "check_variable", "find_variable",   "get_variable",
      "in_collection",  "init_collection", "init_some",
      "init_variable",  "is_initialized",  "is_valid",
      "last_error",     "model",           "report_uninitialized",
      "reset",          "restore",         "restore_latest",
      "save",           "save_step",       "set_status",
      "set_variable",   "state",           "string",
      "variable",       "variable_info",   "variables"};
  return names;
}

std::string getPackedSymbol(const Manifest &manifest,
                            const ManifestEntry &entry) {
  return getEntrySymbol(manifest, entry) + ".packed";
}

std::vector<CParameter> getCParameters(const ManifestEntry &entry) {
  std::vector<CParameter> parameters;
  llvm::StringSet<> taken;
  taken.insert("s");
  auto add = [&](CParameter::Kind kind, unsigned index, StringRef wish) {
    std::string base = toCIdentifier(wish), name = base;
    for (unsigned n = 1; !taken.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    parameters.push_back({kind, index, name});
  };
  SmallVector<bool> seen(entry.symbols.size(), false);
  for (auto [index, feed] : llvm::enumerate(entry.feeds)) {
    add(CParameter::Kind::Feed, index, feed.name);
    for (int64_t symbol : feed.symbols) {
      if (symbol < 0 || seen[symbol])
        continue;
      seen[symbol] = true;
      add(CParameter::Kind::Extent, symbol, entry.symbols[symbol]);
    }
  }
  for (auto [index, result] : llvm::enumerate(entry.results))
    add(CParameter::Kind::Result, index, result.name);
  return parameters;
}

std::string getNotInitializedMessage(const Manifest &manifest) {
  return "the state of '" + manifest.model + "' was never initialised: call " +
         toCIdentifier(manifest.model) + "_init first";
}

CheckedSize getMaxWorkspaceBytes(const Manifest &manifest, int64_t maxExtent) {
  CheckedSize largest = 0;
  for (const ManifestEntry &entry : manifest.entries) {
    SmallVector<int64_t> extents(entry.symbols.size(), maxExtent);
    largest = max(largest, entry.getWorkspaceBytes(extents));
  }
  return largest;
}

int64_t getCWorkspaceOffset(const Manifest &manifest) {
  return llvm::alignTo(static_cast<uint64_t>(manifest.stateBytes),
                       kStateAlignment);
}

CheckedSize getCStateBytes(const Manifest &manifest, int64_t maxExtent) {
  return CheckedSize(getCWorkspaceOffset(manifest)) +
         getMaxWorkspaceBytes(manifest, maxExtent);
}

} // namespace flywheel
