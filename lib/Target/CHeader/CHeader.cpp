//===- CHeader.cpp - The C header of a model ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/CHeader/CHeader.h"
#include "CHeaderText.h"
#include "flywheel/Model/StatusKind.h"
#include "flywheel/Model/StatusMessage.h"
#include "flywheel/Runtime/GPU.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
namespace {

class HeaderWriter : CHeaderPart {
public:
  HeaderWriter(const Manifest &manifest, const DimSizeBounds &bounds,
               llvm::raw_ostream &os)
      : CHeaderPart(manifest, os), bounds(bounds), state(manifest, os) {}

  void write() {
    writeIntroduction();
    writeSizes();
    writeStatuses();
    writeTeam();
    writeLinkedNames();
    os << "typedef struct " << prefix << "_state " << prefix << "_state;\n\n";
    writeInitializer();
    for (const ManifestEntry &entry : manifest.entries)
      if (!isInitializer(entry))
        writeEntry(entry);
    writeGPU();
    writeLastError();
    state.writeStrings();
    state.writeVariables();
    CHeaderProfile(manifest, os).write();
    os << "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* "
          "FLYWHEEL_MODEL_"
       << macro << "_H */\n";
    state.writeCheckpoints();
  }

private:
  void writeIntroduction() {
    os << "/*\n"
          " * C interface of the model "
       << toCComment(manifest.model)
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
          " * The block needs no other preparation and no clean-up but "
       << (manifest.isOnGPU ? prefix + "_release(s) and\n * " : "")
       << "free(). It must not\n"
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
          " * With #include <flywheel/flywheel.h> before this header there are "
          "also\n * "
       << prefix << "_save(s, path) and " << prefix
       << "_restore(s, path), which need the runtime library.\n"
          " *\n"
          " * Arrays are dense and row-major, and aligned as their elements "
          "are in C: one that\n"
          " * is not is an error. Elements of float16 and bfloat16 are passed "
          "as their bits,\n"
          " * booleans as bytes 0 and 1.\n"
       << describeWeights()
       << " */\n"
          "#if defined(FLYWHEEL_MODEL_"
       << macro << "_H) && !defined(FLYWHEEL_MODEL_NAME_" << prefix
       << ")\n#error \"the macros of model '" << prefix
       << "' are those of a model whose name differs in case alone: rename "
          "one\"\n#endif\n#ifndef FLYWHEEL_MODEL_"
       << macro << "_H\n#define FLYWHEEL_MODEL_" << macro
       << "_H\n#define FLYWHEEL_MODEL_NAME_" << prefix
       << "\n\n#include <stddef.h>\n#include <stdint.h>\n"
          "#include <string.h>\n\n"
          "#ifndef FLYWHEEL_INLINE\n"
          "#if defined(__cplusplus) || \\\n    (defined(__STDC_VERSION__) && "
          "__STDC_VERSION__ >= 199901L)\n"
          "#define FLYWHEEL_INLINE static inline\n"
          "#elif defined(__GNUC__)\n"
          "#define FLYWHEEL_INLINE static __inline__\n"
          "#else\n"
          "#define FLYWHEEL_INLINE static\n"
          "#endif\n#endif\n\n"
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  }

  void writeSizes() {
    int64_t bytes = getCStateBytes(manifest, bounds).getSaturated();
    os << "/* Bytes of the state block, with the workspace for dimension sizes "
          "up to "
          "the bounds\n   below, and its alignment in bytes. */\n"
       << "#define " << macro << "_STATE_BYTES " << formatForIf(bytes) << "\n"
       << "#define " << macro << "_STATE_ALIGN " << kStateAlignment << "\n"
       << describeWorkspace()
       << "/* Every dimension size that is an argument lies between 0 and its "
          "bound: "
          "this, or the one\n   of its name. */\n"
       << "#define " << macro << "_MAX_DIM_SIZE " << bounds.others << "\n";
    llvm::StringSet<> taken;
    taken.insert(macro + "_MAX_DIM_SIZE");
    llvm::StringSet<> seen;
    for (const ManifestEntry &entry : manifest.entries) {
      if (isInitializer(entry))
        continue;
      for (const std::string &symbol : entry.symbols)
        if (seen.insert(symbol).second)
          os << "#define "
             << takeMacro(macro + "_MAX_" + toMacroPart(symbol), taken) << " "
             << bounds.lookup(symbol) << "\n";
    }
    os << "\n";
  }

  /// Returns a line that describes the values in the object.
  std::string describeWeights() {
    std::string text = manifest.describeWeights();
    return text.empty() ? text : " *\n * Weights: " + toCComment(text) + ".\n";
  }

  /// Returns a comment on the memory that bounds cost, for users with little
  /// memory.
  std::string describeWorkspace() {
    std::string text;
    llvm::raw_string_ostream os(text);
    int64_t workspace = getMaxWorkspaceBytes(manifest, bounds).getSaturated();
    if (workspace == 0)
      return text;
    os << "/* Of these " << workspace << " are the workspace.";
    for (const BoundCost &cost : getBoundCosts(manifest, bounds))
      if (cost.bytesEach > 0)
        os << "\n   " << cost.bytesEach << " for each of the " << cost.bound
           << " that '" << toCComment(cost.name)
           << "' may be: --max-dim-size=" << toCComment(cost.name)
           << "=N bounds it.";
    os << " */\n";
    return text;
  }

  void writeStatuses() {
    os << "/* What a function returns where it fails; 0 stands for success. "
          "The "
          "numbers are the\n   same in every model. "
       << prefix << "_last_error(s) says more. */\nenum {\n";
    llvm::interleave(
        getStatuses(), os,
        [&](const CStatus &status) {
          os << "  /* " << status.meaning << " */\n  " << macro << "_E_"
             << status.name << " = " << status.number;
        },
        ",\n");
    os << "\n};\n\n/* The name of a status, for logs: \"" << macro
       << "_E_CHECK\"; \"\" for a number that is none. */\n"
       << "FLYWHEEL_INLINE const char *" << prefix
       << "_status_name(int32_t status) {\n  switch (status) {\n"
       << "  case 0:\n    return \"OK\";\n";
    for (const CStatus &status : getStatuses())
      os << "  case " << macro << "_E_" << status.name << ":\n    return \""
         << macro << "_E_" << status.name << "\";\n";
    os << "  default:\n    return \"\";\n  }\n}\n\n";
  }

  /// Returns the statuses that a function of this model can return.
  SmallVector<CStatus> getStatuses() {
    return llvm::filter_to_vector(getCStatuses(), [&](const CStatus &status) {
      return manifest.isOnGPU ||
             (status.number != runtime::kStatusNoDevice &&
              status.number != runtime::kStatusNoDeviceMemory);
    });
  }

  /// Writes the declarations that flywheel.h has as well: one type for all
  /// models of a program.
  void writeTeam() {
    if (manifest.threads == 1)
      return;
    os << R"(#ifndef FLYWHEEL_TEAM
#define FLYWHEEL_TEAM
/* Workers that execute a step together: `run` calls body(context, worker) for each
   worker from 0 to workers - 1, all at the same time, and returns when all have
   returned; meanwhile `barrier`, which each of them calls with its number, returns
   once all have called it. `run` may make `workers` smaller for the time of the
   call. One call at a time uses a team. */
typedef struct flywheel_team flywheel_team;
struct flywheel_team {
  int32_t workers;
  void (*run)(flywheel_team *team, void (*body)(void *context, int32_t worker),
              void *context);
  void (*barrier)(flywheel_team *team, int32_t worker);
};
#endif

/* The largest number of workers of a team. */
#define )"
       << macro << "_MAX_WORKERS " << manifest.threads << "\n\n";
  }

  /// Writes macros that give the functions names of one interface: an object
  /// with other sizes, bounds or parameters than the header has other names, so
  /// that it does not link.
  void writeLinkedNames() {
    std::string hash = getInterfaceHash(manifest, bounds);
    os << "/* Stands for the sizes, bounds and parameters in this header. The "
          "names of the\n   functions end in it, so that an object from "
          "another "
          "compilation does not link.\n   By name, as dlsym() takes it: \""
       << prefix << "_init_\" " << macro << "_INTERFACE. */\n#define " << macro
       << "_INTERFACE \"" << hash << "\"\n";
    for (const std::string &symbol : getExportedSymbols(manifest))
      os << "#define " << symbol << " " << getLinkedSymbol(symbol, hash)
         << "\n";
    os << "\n";
  }

  void writeInitializer() {
    os << "/*\n * Gives every variable of the collection GLOBAL its initial "
          "value.\n *\n"
          " * s: "
       << macro << "_STATE_BYTES bytes aligned to " << macro
       << "_STATE_ALIGN, of any content.\n"
          " * seed: of the random streams. A fresh block and a seed fix the "
          "values; another\n"
          " *   call on the same block continues the streams and gives "
          "others.\n"
          " * Returns 0 or a status.\n */\n"
          "int32_t "
       << prefix << "_init(" << prefix
       << "_state *s, uint64_t seed);\n\n"
          "/*\n * The same for some variables; others keep their values.\n *\n"
          " * select: "
       << manifest.variables.size()
       << " bytes, one a variable in the order of the block, not 0 for those "
          "to\n *   initialise.\n"
          " * Fails where an initial value is computed from a variable that "
          "has "
          "no value and\n * is not selected.\n */\n"
          "int32_t "
       << prefix << "_init_some(" << prefix
       << "_state *s, uint64_t seed, const uint8_t *select);\n\n";
  }

  std::string listVariables(ArrayRef<int64_t> indices) {
    if (indices.empty())
      return "nothing";
    return toCComment(
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
       << toCComment(formatShape(argument, &entry));
    if (argument.name != name)
      os << ", '" << toCComment(argument.name) << "'";
    os << "\n";
  }

  void writeEntry(const ManifestEntry &entry) {
    std::vector<CParameter> parameters = getCParameters(manifest, entry);
    std::string declaration;
    os << "/*\n * Entry '" << toCComment(entry.name) << "'.\n *\n";
    for (const CParameter &parameter : parameters) {
      switch (parameter.kind) {
      case CParameter::Kind::Team:
        os << " * " << parameter.name << ": NULL for the caller alone"
           << (entry.workers > 1 ? "" : "; not used, the step is a small one")
           << "\n";
        declaration += ", flywheel_team *" + parameter.name;
        break;
      case CParameter::Kind::Feed: {
        const ManifestArgument &feed = entry.feeds[parameter.index];
        writeArgument(parameter.name, feed, entry, "in");
        declaration += ", const " + getCType(feed.type.getElementType()).str() +
                       " *" + parameter.name;
        break;
      }
      case CParameter::Kind::DimSize:
        os << " * " << parameter.name << " (in): 0 to "
           << bounds.lookup(entry.symbols[parameter.index]);
        if (entry.symbols[parameter.index] != parameter.name)
          os << ", the dimension size '"
             << toCComment(entry.symbols[parameter.index]) << "'";
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
       << " * Writes " << listVariables(entry.writes) << ".\n";
    if (!entry.initializedValues.empty())
      os << " * Takes the initial values, where there is no value, of "
         << listVariables(entry.initializedValues) << ".\n";
    os << " * Returns 0 or a status";
    if (entry.checks.empty())
      os << ".";
    else
      os << "; besides those of bad arguments and uninitialised variables";
    for (StatusKind kind : {StatusKind::Check, StatusKind::Numerics})
      writeChecks(entry, kind);
    os << "\n */\nint32_t " << getEntrySymbol(manifest, entry) << "(" << prefix
       << "_state *s" << declaration << ");\n\n";
  }

  /// Writes the messages of the checks of a kind that an entry may fail with.
  void writeChecks(const ManifestEntry &entry, StatusKind kind) {
    SmallVector<int64_t> own =
        llvm::filter_to_vector(entry.checks, [&](int64_t index) {
          return manifest.messages[index].kind == kind;
        });
    if (own.empty())
      return;
    StringRef name = getCStatusName(kind);
    os << "\n * " << macro << "_E_" << name << ", of which " << prefix
       << "_last_error(s) says:";
    for (int64_t index : own)
      os << "\n *   "
         << toCComment(formatNumbers(manifest.messages[index].text));
  }

  /// Writes the functions for variables in GPU memory.
  void writeGPU() {
    if (!manifest.isOnGPU)
      return;
    os << "/*\n * Steps are executed by a GPU, whose driver is loaded at the "
          "first "
          "one. The\n * variables are there from then on. The functions below "
          "that read or change\n * them by name, and those that save and "
          "restore "
          "them, ask for them. Code that\n * reads elements in the block "
          "itself "
          "first calls this with write 0, code that\n * changes them with "
          "write "
          "1: the next step takes them from the block.\n *\n"
          " * Returns 0, or another value where the device is lost.\n */\n"
          "int32_t "
       << prefix << "_to_host(" << prefix
       << "_state *s, int32_t write);\n\n"
          "/* Frees what the GPU has for the block: before free(). */\n"
          "void "
       << prefix << "_release(" << prefix << "_state *s);\n\n";
  }

  void writeLastError() {
    os << "/*\n * What was wrong with the last call on s, \"\" after success: "
          "valid "
          "until the next\n * call. Of a null s it says that it is null.\n */\n"
          "const char *"
       << prefix << "_last_error(const " << prefix << "_state *s);\n\n";
  }

  const DimSizeBounds &bounds;
  CHeaderState state;
};

} // namespace

std::string emitCHeader(const Manifest &manifest, const DimSizeBounds &bounds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  HeaderWriter(manifest, bounds, os).write();
  return text;
}

} // namespace flywheel
