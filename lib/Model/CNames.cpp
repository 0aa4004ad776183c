//===- CNames.cpp - Names of a model in C ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/UniqueName.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

/// Returns true for the keywords of C and C++, up to C23 and C++20 and with
/// those of compilers, and for the names that users of <stdint.h> expect.
static bool isReservedInC(StringRef name) {
  static const llvm::StringSet<> reserved = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char16_t",
                                             "char32_t",
                                             "char8_t",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "requires",
                                             "reinterpret_cast",
                                             "restrict",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "typeof_unqual",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq",
                                             "int8_t",
                                             "int16_t",
                                             "int32_t",
                                             "int64_t",
                                             "uint8_t",
                                             "uint16_t",
                                             "uint32_t",
                                             "uint64_t"};
  return reserved.contains(name);
}

/// Returns true for lower-case words that compilers or widespread headers
/// define as macros.
static bool isWellKnownMacro(StringRef name) {
  static const llvm::StringSet<> macros = {
      "arm",   "complex", "emit",  "environ",   "errno",           "far",
      "hpux",  "huge",    "i386",  "imaginary", "interface",       "linux",
      "m68k",  "mips",    "near",  "noreturn",  "pixel",           "signals",
      "slots", "small",   "sparc", "stderr",    "stdin",           "stdout",
      "sun",   "unix",    "vax",   "vector",    "math_errhandling"};
  // Members of structures of POSIX are macros for those inside of unions.
  static const StringRef members[] = {"h_addr", "s6_addr", "s_addr", "sa_",
                                      "sched_", "si_",     "sigev_", "st_"};
  return macros.contains(name) || llvm::any_of(members, [&](StringRef member) {
           return name.starts_with(member);
         });
}

/// Returns true if a name without a model's prefix may have another meaning in
/// a C or C++ program: keywords, types, and names of the forms that macros and
/// implementations use.
static bool mayMeanElseInC(StringRef name) {
  return isReservedInC(name) || isWellKnownMacro(name) ||
         name.starts_with("_") || name.ends_with("_t") ||
         // L_tmpnam, M_2_PIl.
         (name.size() > 1 && llvm::isUpper(name[0]) && name[1] == '_') ||
         llvm::none_of(name, llvm::isLower);
}

/// Returns true if <string.h> or flywheel.h declares `name`, for names with an
/// inner `_`.
static bool isDeclaredElsewhere(StringRef name) {
  static const llvm::StringSet<> declared = {"explicit_bzero",
                                             "flywheel_checkpoint_options",
                                             "flywheel_manager_options",
                                             "flywheel_max_workers",
                                             "flywheel_set_max_workers",
                                             "flywheel_team_create",
                                             "flywheel_team_destroy",
                                             "memset_explicit",
                                             "strcasecmp_l",
                                             "strcoll_l",
                                             "strerror_l",
                                             "strerror_r",
                                             "strncasecmp_l",
                                             "strtok_r",
                                             "strtok_s",
                                             "strxfrm_l"};
  return declared.contains(name);
}

std::string toCIdentifier(StringRef name) {
  std::string identifier;
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  // Names that begin with `_` are those of C's library and compilers, and the
  // runtime library has names with the last prefix.
  if (identifier.empty() || llvm::isDigit(identifier.front()) ||
      isReservedInC(identifier) || identifier == "flywheel")
    identifier.insert(0, "model_");
  else if (identifier.front() == '_')
    identifier.insert(0, "model");
  return identifier;
}

/// Returns the name of a parameter. Names that could be a macro of a header
/// that is included before, or a type of a later parameter, get a prefix that
/// no macro has.
static std::string toCParameter(StringRef name) {
  std::string identifier;
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  if (identifier.empty() || llvm::isDigit(identifier.front()) ||
      mayMeanElseInC(identifier))
    identifier.insert(0, "arg_");
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

static std::string joinShape(ArrayRef<std::string> dimSizes) {
  std::string text = "(" + llvm::join(dimSizes, ", ");
  return text + (dimSizes.size() == 1 ? ",)" : ")");
}

std::string formatShape(ArrayRef<int64_t> shape) {
  return joinShape(llvm::map_to_vector(shape, [](int64_t dimSize) {
    return ShapedType::isDynamic(dimSize) ? std::string("?")
                                          : std::to_string(dimSize);
  }));
}

std::string formatShape(const ManifestArgument &argument,
                        const ManifestEntry *entry) {
  if (!entry)
    return formatShape(argument.type.getShape());
  SmallVector<std::string> dimSizes;
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols))
    dimSizes.push_back(symbol < 0 ? std::to_string(dimSize)
                                  : entry->symbols[symbol]);
  return joinShape(dimSizes);
}

std::string getEntrySymbol(const Manifest &manifest,
                           const ManifestEntry &entry) {
  // The prefix makes most names of an entry legal, a keyword too.
  std::string symbol = toCIdentifier(manifest.model) + "_";
  for (char c : entry.name)
    symbol += llvm::isAlnum(c) ? c : '_';
  // `int32` and `t`, `SIZE` and `MAX`, `co` and `await`, `_` and `cplusplus`.
  bool mayBeElse = isReservedInC(symbol) || StringRef(symbol).ends_with("_t") ||
                   StringRef(symbol).starts_with("__") ||
                   llvm::none_of(symbol, llvm::isLower) ||
                   isDeclaredElsewhere(symbol);
  return mayBeElse && !isInitializer(entry) ? symbol + "_entry" : symbol;
}

ArrayRef<StringRef> getReservedCNames() {
  static const StringRef names[] = {"check_variable",
                                    "find_variable",
                                    "get_variable",
                                    "in_collection",
                                    "init_collection",
                                    "init_some",
                                    "init_variable",
                                    "is_initialized",
                                    "is_valid",
                                    "last_error",
                                    "model",
                                    "refuse_block",
                                    "report_uninitialized",
                                    "reset",
                                    "restore",
                                    "restore_latest",
                                    "save",
                                    "save_step",
                                    "set_status",
                                    "set_variable",
                                    "state",
                                    "status_name",
                                    "string",
                                    "variable",
                                    "variable_info",
                                    "variables"};
  return names;
}

ArrayRef<StringRef> getProfileCNames() {
  static const StringRef names[] = {"kernel_info", "profile_kernels",
                                    "profile_read", "profile_reset"};
  return names;
}

ArrayRef<StringRef> getGPUCNames() {
  static const StringRef names[] = {"release", "to_host"};
  return names;
}

std::string getPackedSymbol(const Manifest &manifest,
                            const ManifestEntry &entry) {
  return getEntrySymbol(manifest, entry) + ".packed";
}

std::vector<CParameter> getCParameters(const Manifest &manifest,
                                       const ManifestEntry &entry) {
  std::vector<CParameter> parameters;
  llvm::StringSet<> taken;
  taken.insert("s");
  auto add = [&](CParameter::Kind kind, unsigned index, StringRef wish) {
    std::string name =
        makeUniqueName(toCParameter(wish), [&](StringRef candidate) {
          return !taken.insert(candidate).second;
        });
    parameters.push_back({kind, index, name});
  };
  if (manifest.threads > 1)
    add(CParameter::Kind::Team, 0, "team");
  SmallVector<bool> seen(entry.symbols.size(), false);
  for (auto [index, feed] : llvm::enumerate(entry.feeds)) {
    add(CParameter::Kind::Feed, index, feed.name);
    for (int64_t symbol : feed.symbols) {
      if (symbol < 0 || seen[symbol])
        continue;
      seen[symbol] = true;
      add(CParameter::Kind::DimSize, symbol, entry.symbols[symbol]);
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

int32_t getNotInitializedNumber(const Manifest &manifest) {
  for (auto [index, message] : llvm::enumerate(manifest.messages))
    if (message.kind == StatusKind::NotInitialized)
      return static_cast<int32_t>(index) + 1;
  return 0;
}

CheckedSize getMaxWorkspaceBytes(const Manifest &manifest,
                                 const DimSizeBounds &bounds) {
  CheckedSize largest = 0;
  for (const ManifestEntry &entry : manifest.entries)
    largest = max(largest,
                  entry.getMaxWorkspaceBytes(bounds.lookupAll(entry.symbols)));
  return largest;
}

int64_t getCWorkspaceOffset(const Manifest &manifest) {
  return llvm::alignTo(static_cast<uint64_t>(manifest.stateBytes),
                       kStateAlignment);
}

CheckedSize getCStateBytes(const Manifest &manifest,
                           const DimSizeBounds &bounds) {
  return CheckedSize(getCWorkspaceOffset(manifest)) +
         getMaxWorkspaceBytes(manifest, bounds);
}

std::vector<BoundCost> getBoundCosts(const Manifest &manifest,
                                     const DimSizeBounds &bounds) {
  std::vector<BoundCost> costs;
  llvm::StringSet<> seen;
  int64_t bytes = getCStateBytes(manifest, bounds).getSaturated();
  for (const ManifestEntry &entry : manifest.entries)
    for (const std::string &symbol : entry.symbols) {
      if (isInitializer(entry) || !seen.insert(symbol).second)
        continue;
      int64_t bound = bounds.lookup(symbol);
      DimSizeBounds less = bounds;
      less.named[symbol] = bound / 2;
      int64_t saved = bytes - getCStateBytes(manifest, less).getSaturated();
      int64_t half = bound - bound / 2;
      costs.push_back({symbol, bound, (saved + half - 1) / half});
    }
  return costs;
}

std::vector<std::string> describeCostlyBounds(const Manifest &manifest,
                                              const DimSizeBounds &bounds,
                                              StringRef remedy) {
  std::vector<std::string> lines;
  int64_t bytes = getCStateBytes(manifest, bounds).getSaturated();
  for (const BoundCost &cost : getBoundCosts(manifest, bounds)) {
    if (bounds.named.count(cost.name) ||
        cost.bytesEach * cost.bound <= bytes / 2)
      continue;
    auto [before, after] = remedy.split("NAME");
    lines.push_back(
        "the block of '" + manifest.model + "' has " + std::to_string(bytes) +
        " bytes, " + std::to_string(cost.bytesEach) +
        " of them for each of the " + std::to_string(cost.bound) + " that '" +
        cost.name + "' may be by default: " + before.str() + cost.name +
        after.str() + " bounds it");
  }
  return lines;
}

uint64_t getCLayoutHash(const Manifest &manifest, const DimSizeBounds &bounds) {
  return hashTexts(
      {manifest.model, std::to_string(manifest.layoutHash),
       std::to_string(getCStateBytes(manifest, bounds).getSaturated())});
}

std::string getInterfaceHash(const Manifest &manifest,
                             const DimSizeBounds &bounds) {
  std::vector<std::string> texts = {
      // The version of the interface itself.
      "2",
      manifest.model,
      std::to_string(manifest.layoutHash),
      std::to_string(manifest.stateBytes),
      std::to_string(getCStateBytes(manifest, bounds).getSaturated()),
      std::to_string(getNotInitializedNumber(manifest))};
  for (const ManifestEntry &entry : manifest.entries) {
    texts.push_back(entry.name);
    auto addArgument = [&](const ManifestArgument &argument) {
      texts.push_back(getDTypeName(argument.type.getElementType()).str());
      texts.push_back(formatShape(argument, &entry));
    };
    for (const CParameter &parameter : getCParameters(manifest, entry)) {
      texts.push_back(parameter.name);
      switch (parameter.kind) {
      case CParameter::Kind::Team:
        texts.push_back(std::to_string(manifest.threads));
        break;
      case CParameter::Kind::Feed:
        addArgument(entry.feeds[parameter.index]);
        break;
      case CParameter::Kind::Result:
        addArgument(entry.results[parameter.index]);
        break;
      case CParameter::Kind::DimSize:
        texts.push_back(
            std::to_string(bounds.lookup(entry.symbols[parameter.index])));
        break;
      }
    }
  }
  return llvm::utohexstr(hashTexts(texts), /*LowerCase=*/true, /*Width=*/16);
}

std::string getLinkedSymbol(StringRef symbol, StringRef interfaceHash) {
  return (symbol + "_" + interfaceHash).str();
}

std::vector<std::string> getExportedSymbols(const Manifest &manifest) {
  std::string prefix = toCIdentifier(manifest.model);
  std::vector<std::string> symbols = {prefix + "_init", prefix + "_init_some",
                                      prefix + "_last_error"};
  for (const ManifestEntry &entry : manifest.entries)
    if (!isInitializer(entry))
      symbols.push_back(getEntrySymbol(manifest, entry));
  if (manifest.isOnGPU)
    for (StringRef name : getGPUCNames())
      symbols.push_back(prefix + "_" + name.str());
  return symbols;
}

} // namespace flywheel
