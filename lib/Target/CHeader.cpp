//===- CHeader.cpp - The C header of a model ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/CHeader.h"
#include "flywheel/Target/CNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
namespace {

/// `text` within a C string literal; nothing that could end a comment either.
std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\')
      escaped += '\\';
    if (llvm::isPrint(c))
      escaped += c;
    else
      escaped +=
          "\\" + std::string{char('0' + ((c >> 6) & 3)),
                             char('0' + ((c >> 3) & 7)), char('0' + (c & 7))};
  }
  return escaped;
}

/// `text` within a comment.
std::string forComment(StringRef text) {
  std::string safe;
  for (char c : text) {
    char last = safe.empty() ? ' ' : safe.back();
    bool isDelimiter = (c == '/' && last == '*') || (c == '*' && last == '/');
    safe += isDelimiter || !llvm::isPrint(c) ? '_' : c;
  }
  return safe;
}

class HeaderWriter {
public:
  HeaderWriter(const Manifest &manifest, int64_t maxExtent)
      : manifest(manifest), maxExtent(maxExtent),
        prefix(toCIdentifier(manifest.model)), macro(toCMacro(manifest.model)),
        os(text) {}

  std::string write() {
    writeIntroduction();
    writeSizes();
    os << "typedef struct " << prefix << "_state " << prefix << "_state;\n\n";
    writeInitializer();
    for (const ManifestEntry &entry : manifest.entries)
      if (!isInitializer(entry))
        writeEntry(entry);
    writeLastError();
    writeVariables();
    os << "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* "
       << macro << "_H */\n";
    return std::move(text);
  }

private:
  void writeIntroduction() {
    os << "/*\n"
          " * C interface of the model "
       << forComment(manifest.model)
       << ", written by the Flywheel compiler.\n"
          " *\n"
          " * The caller owns one block of state, which also holds the "
          "workspace:\n"
          " *\n"
          " *   "
       << prefix << "_state *s = aligned_alloc(" << macro << "_STATE_ALIGN, "
       << macro
       << "_STATE_BYTES);\n"
          " *   if ("
       << prefix << "_init(s, 1)) puts(" << prefix
       << "_last_error(s));\n"
          " *\n"
          " * The block needs no other preparation and no clean-up but free(). "
          "It must not\n"
          " * move to another program: save the variables instead. Calls on "
          "one block must\n"
          " * not overlap; different blocks are independent.\n"
          " *\n"
          " * Every function that returns a status returns 0 on success. After "
          "another\n"
          " * value "
       << prefix
       << "_last_error(s) says what was wrong, and nothing but that status "
          "has\n"
          " * changed: neither a variable nor the random streams.\n"
          " *\n"
          " * Arrays are dense and row-major. Elements of float16 and bfloat16 "
          "are passed as\n"
          " * their bits, booleans as bytes 0 and 1.\n"
          " */\n"
          "#ifndef "
       << macro << "_H\n#define " << macro
       << "_H\n\n#include <stddef.h>\n#include <stdint.h>\n"
          "#include <string.h>\n\n"
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  }

  void writeSizes() {
    os << "/* Bytes of the state block, with the workspace for extents up to "
          "the bound\n   below, and its alignment in bytes. */\n"
       << "#define " << macro << "_STATE_BYTES ((size_t)"
       << getCStateBytes(manifest, maxExtent) << "u"
       << (getCStateBytes(manifest, maxExtent) > 0x7fffffff ? "ll" : "")
       << ")\n"
       << "#define " << macro << "_STATE_ALIGN " << kStateAlignment << "\n"
       << "/* Every extent that is an argument lies between 0 and this. */\n"
       << "#define " << macro << "_MAX_EXTENT " << maxExtent << "\n\n";
  }

  void writeInitializer() {
    os << "/*\n * Gives every variable its initial value.\n *\n"
          " * s: "
       << macro << "_STATE_BYTES bytes aligned to " << macro
       << "_STATE_ALIGN, of any content.\n"
          " * seed: of the random streams. A fresh block and a seed fix the "
          "values; another\n"
          " *   call on the same block continues the streams and gives "
          "others.\n"
          " * Returns 0 or a status.\n */\n"
          "int32_t "
       << prefix << "_init(" << prefix << "_state *s, uint64_t seed);\n\n";
  }

  std::string listVariables(ArrayRef<int64_t> indices) {
    if (indices.empty())
      return "nothing";
    return forComment(
        llvm::join(llvm::map_range(indices,
                                   [&](int64_t index) {
                                     return manifest.variables[index].name;
                                   }),
                   ", "));
  }

  void writeArgument(StringRef name, const ManifestArgument &argument,
                     const ManifestEntry &entry, StringRef direction) {
    os << " * " << name << " (" << direction
       << "): " << getDTypeName(argument.type.getElementType()) << " "
       << forComment(formatShape(argument, &entry));
    if (argument.name != name)
      os << ", '" << forComment(argument.name) << "'";
    os << "\n";
  }

  void writeEntry(const ManifestEntry &entry) {
    std::vector<CParameter> parameters = getCParameters(entry);
    std::string declaration;
    os << "/*\n * Entry '" << forComment(entry.name) << "'.\n *\n";
    for (const CParameter &parameter : parameters) {
      switch (parameter.kind) {
      case CParameter::Kind::Feed: {
        const ManifestArgument &feed = entry.feeds[parameter.index];
        writeArgument(parameter.name, feed, entry, "in");
        declaration += ", const " + getCType(feed.type.getElementType()).str() +
                       " *" + parameter.name;
        break;
      }
      case CParameter::Kind::Extent:
        os << " * " << parameter.name << " (in): 0 to " << maxExtent;
        if (entry.symbols[parameter.index] != parameter.name)
          os << ", the extent '" << forComment(entry.symbols[parameter.index])
             << "'";
        os << "\n";
        declaration += ", int64_t " + parameter.name;
        break;
      case CParameter::Kind::Result: {
        const ManifestArgument &result = entry.results[parameter.index];
        writeArgument(parameter.name, result, entry, "out");
        declaration += ", " + getCType(result.type.getElementType()).str() +
                       " *" + parameter.name;
        break;
      }
      }
    }
    os << " * Reads " << listVariables(entry.reads) << ".\n"
       << " * Writes " << listVariables(entry.writes) << ".\n"
       << " * Returns 0 or a status";
    if (!entry.checks.empty()) {
      os << "; besides bad arguments and uninitialised variables:";
      for (int64_t index : entry.checks)
        os << "\n *   " << index + 1 << ": "
           << forComment(manifest.messages[index].text);
    } else {
      os << ".";
    }
    os << "\n */\nint32_t " << getEntrySymbol(manifest, entry) << "(" << prefix
       << "_state *s" << declaration << ");\n\n";
  }

  void writeLastError() {
    os << "/*\n * What was wrong with the last call on s: a constant string, "
          "\"\" after success.\n * Of a null s it says that it is null.\n */\n"
          "const char *"
       << prefix << "_last_error(const " << prefix << "_state *s);\n\n";
  }

  void writeVariableMacros() {
    llvm::StringSet<> taken;
    // Of the state block there are macros with the same endings.
    taken.insert(macro + "_STATE");
    for (const ManifestVariable &variable : manifest.variables) {
      std::string base = macro + "_";
      for (char c : variable.name)
        base += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
      std::string name = base;
      for (unsigned n = 1; !taken.insert(name).second; ++n)
        name = base + "_" + std::to_string(n);
      os << "/* " << forComment(variable.name) << ": "
         << getDTypeName(variable.type.getElementType()) << " "
         << formatShape(variable.type.getShape());
      for (const std::string &note : variable.describe())
        os << ", " << forComment(note);
      os << " */\n#define " << name << "_OFFSET " << variable.offset
         << "\n#define " << name << "_BYTES " << variable.bytes << "\n";
    }
    os << "\n";
  }

  void writeVariables() {
    if (manifest.variables.empty())
      return;
    os << "/* The variables: offset in the state block and size, in bytes. "
          "*/\n";
    writeVariableMacros();
    std::string type = prefix + "_variable_info";
    os << "/* The same as data, in the order of the block. Shapes are padded "
          "with zeros. */\n"
       << "typedef struct " << type
       << " {\n  const char *name;\n  const char *dtype;\n"
          "  size_t offset, bytes;\n  int rank;\n  int64_t shape["
       << getMaxRank() << "];\n} " << type << ";\n\n"
       << "#define " << macro << "_NUM_VARIABLES " << manifest.variables.size()
       << "\n\nstatic inline const " << type << " *" << prefix
       << "_variables(void) {\n  static const " << type << " table[" << macro
       << "_NUM_VARIABLES] = {\n";
    for (const ManifestVariable &variable : manifest.variables) {
      os << "      {\"" << escape(variable.name) << "\", \""
         << getDTypeName(variable.type.getElementType()) << "\", "
         << variable.offset << "u, " << variable.bytes << "u, "
         << variable.type.getRank() << ", {";
      if (variable.type.getRank() == 0)
        os << "0";
      llvm::interleaveComma(variable.type.getShape(), os);
      os << "}},\n";
    }
    os << "  };\n  return table;\n}\n\n";
    writeAccessors(type);
  }

  int64_t getMaxRank() {
    int64_t rank = 1;
    for (const ManifestVariable &variable : manifest.variables)
      rank = std::max(rank, variable.type.getRank());
    return rank;
  }

  void writeAccessors(StringRef type) {
    std::string find = prefix + "_find_variable";
    os << "static inline int " << find
       << "(const char *name) {\n  int i;\n  for (i = 0; i < " << macro
       << "_NUM_VARIABLES; ++i)\n    if (strcmp(" << prefix
       << "_variables()[i].name, name) == 0)\n      return i;\n"
          "  return -1;\n}\n\n"
          "/* 1 if the variable has a value, 0 if not or if there is none of "
          "that name.\n   The block has been through "
       << prefix << "_init. */\nstatic inline int " << prefix
       << "_is_initialized(const " << prefix
       << "_state *s, const char *name) {\n  int i = " << find
       << "(name);\n  return i >= 0 && ((const unsigned char *)s)["
       << kStateInitializedOffset
       << " + i] != 0;\n}\n\n"
          "/* The elements of a variable, in the block; NULL if there is none "
          "of that name. */\nstatic inline void *"
       << prefix << "_variable(" << prefix
       << "_state *s, const char *name) {\n  int i = " << find
       << "(name);\n  return i < 0 ? NULL : (void *)((unsigned char *)s + "
       << prefix << "_variables()[i].offset);\n}\n\n"
       << "/* Copies `bytes` bytes into a variable, which then has a value. "
          "Returns 0, or -1\n   and changes nothing if there is no variable of "
          "that name and size. The block has\n   been through "
       << prefix << "_init. */\nstatic inline int " << prefix
       << "_set_variable(" << prefix
       << "_state *s, const char *name, const void *data, size_t bytes) {\n"
          "  int i = "
       << find << "(name);\n  if (i < 0 || " << prefix
       << "_variables()[i].bytes != bytes)\n    return -1;\n"
          "  memcpy((unsigned char *)s + "
       << prefix
       << "_variables()[i].offset, data, bytes);\n"
          "  ((unsigned char *)s)["
       << kStateInitializedOffset << " + i] = 1;\n  return 0;\n}\n\n";
  }

  const Manifest &manifest;
  int64_t maxExtent;
  std::string prefix, macro, text;
  llvm::raw_string_ostream os;
};

} // namespace

std::string emitCHeader(const Manifest &manifest, int64_t maxExtent) {
  return HeaderWriter(manifest, maxExtent).write();
}

} // namespace flywheel
