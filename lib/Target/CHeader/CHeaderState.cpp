//===- CHeaderState.cpp - The state of a model in its C header ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CHeaderText.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace flywheel;

/// Writes the functions that the header itself defines. In `text`, `@` is the
/// prefix of functions and `$` that of macros; at `%r` and `%w`, a GPU copies
/// the variables back to be read, or to be written, by a function with a
/// status; at `%x`, by a function without one.
void CHeaderState::writeInline(StringRef text) {
  auto writeTransfer = [&](bool isWrite) {
    if (manifest.isOnGPU)
      os << "  if (" << prefix << "_to_host(s, " << isWrite << "))\n    return "
         << prefix << "_set_status(s, " << macro
         << "_E_NO_DEVICE, \"the GPU does not give the variables "
         << "back: the device is lost\",\n        \"\", \"\");\n";
  };
  while (!text.empty()) {
    char c = text.front();
    bool isRead = text.consume_front("%r\n");
    if (isRead || text.consume_front("%w\n")) {
      writeTransfer(!isRead);
      continue;
    }
    if (text.consume_front("%x\n")) {
      if (manifest.isOnGPU)
        os << "  (void)" << prefix << "_to_host(s, 1);\n";
      continue;
    }
    text = text.drop_front();
    if (c == '@')
      os << prefix;
    else if (c == '$')
      os << macro;
    else
      os << c;
  }
}

void CHeaderState::writeVariableMacros() {
  llvm::StringSet<> taken;
  // Macros of the block itself have the same endings.
  for (StringRef name :
       {"STATE", "STATUS", "INITIALIZED", "TEXT", "HEADER", "WORKSPACE"})
    taken.insert(macro + "_" + name.str());
  for (const ManifestVariable &variable : manifest.variables) {
    std::string name =
        takeMacro(macro + "_" + toMacroPart(variable.name), taken);
    os << "/* " << toCComment(variable.name) << ": "
       << getDTypeName(variable.type.getElementType()) << " "
       << formatShape(variable.type.getShape());
    for (const std::string &note : variable.describe())
      os << ", " << toCComment(note);
    os << " */\n#define " << name << "_OFFSET " << variable.offset
       << "\n#define " << name << "_BYTES " << variable.bytes << "\n";
  }
  os << "\n";
}

void CHeaderState::writeVariables() {
  if (manifest.variables.empty())
    return;
  os << "/* The variables: offset in the state block and size, in bytes. "
        "*/\n";
  writeVariableMacros();
  std::string type = prefix + "_variable_info";
  os << "/* The same as data, in the order of the block. Shapes are padded "
        "with zeros;\n   slot_of is \"\" for a variable that is not a slot. "
        "*/\n"
     << "typedef struct " << type
     << " {\n  const char *name;\n  const char *dtype;\n"
        "  size_t offset, bytes;\n  int rank;\n  int64_t shape["
     << getMaxRank() << "];\n  int trainable;\n  const char *slot_of;\n} "
     << type << ";\n\n"
     << "#define " << macro << "_NUM_VARIABLES " << manifest.variables.size()
     << "\n\nFLYWHEEL_INLINE const " << type << " *" << prefix
     << "_variables(void) {\n  static const " << type << " table[" << macro
     << "_NUM_VARIABLES] = {\n";
  for (const ManifestVariable &variable : manifest.variables) {
    os << "      {\"" << escapeForC(variable.name) << "\", \""
       << getDTypeName(variable.type.getElementType()) << "\", "
       << variable.offset << "u, " << variable.bytes << "u, "
       << variable.type.getRank() << ", {";
    if (variable.type.getRank() == 0)
      os << "0";
    llvm::interleaveComma(variable.type.getShape(), os);
    os << "}, " << variable.trainable << ", \"" << escapeForC(variable.slotOf)
       << "\"},\n";
  }
  os << "  };\n  return table;\n}\n\n";
  writeAccessors();
}

std::string CHeaderState::getLayoutHash() {
  return "UINT64_C(0x" +
         llvm::utohexstr(manifest.layoutHash, /*LowerCase=*/true) + ")";
}

int64_t CHeaderState::getMaxRank() {
  int64_t rank = 1;
  for (const ManifestVariable &variable : manifest.variables)
    rank = std::max(rank, variable.type.getRank());
  return rank;
}

void CHeaderState::writeHeaderOffsets() {
  size_t count = manifest.variables.size();
  os << "/* Within the block, for the functions below. */\n"
     << "#define " << macro << "_LAYOUT_HASH " << getLayoutHash() << "\n"
     << "#define " << macro << "_STATUS_OFFSET " << kStateStatusOffset
     << "\n#define " << macro << "_INITIALIZED_OFFSET "
     << kStateInitializedOffset << "\n#define " << macro << "_TEXT_OFFSET "
     << getStateTextOffset(count) << "\n#define " << macro << "_TEXT_BYTES "
     << kStateTextBytes << "\n#define " << macro << "_HEADER_BYTES "
     << getStateHeaderBytes(count) << "\n#define " << macro
     << "_WORKSPACE_OFFSET " << getCWorkspaceOffset(manifest) << "\n#define "
     << macro << "_NOT_INITIALIZED_MESSAGE "
     << getNotInitializedNumber(manifest) << "\n\n";
}

/// Returns true if strings cross the interface.
bool CHeaderState::hasStrings() {
  auto isString = [](const auto &each) {
    return getDTypeName(each.type.getElementType()) == "string";
  };
  return !manifest.strings.empty() ||
         llvm::any_of(manifest.variables, isString) ||
         llvm::any_of(manifest.entries, [&](const ManifestEntry &entry) {
           return llvm::any_of(entry.feeds, isString) ||
                  llvm::any_of(entry.results, isString);
         });
}

/// The strings that the model names, by their numbers.
/// The longest string literal that every C99 compiler takes.
static constexpr size_t kMaxLiteral = 4000;

/// Emits as arrays the strings that are too long for literals.
void CHeaderState::writeLongStrings() {
  for (auto [index, text] : llvm::enumerate(manifest.strings)) {
    if (text.size() <= kMaxLiteral)
      continue;
    os << "  static const char long_" << index << "[] = {";
    for (auto [position, c] : llvm::enumerate(text))
      os << (position % 16 ? " " : "\n      ") << "'"
         << (c == '\'' ? "\\'" : escapeForC(StringRef(&c, 1))) << "',";
    os << "\n      0};\n";
  }
}

std::string CHeaderState::getStringExpression(size_t index) {
  const std::string &text = manifest.strings[index];
  if (text.size() > kMaxLiteral)
    return "long_" + std::to_string(index);
  return "\"" + escapeForC(text) + "\"";
}

void CHeaderState::writeStrings() {
  if (!hasStrings())
    return;
  os << "/* Strings are passed and stored as numbers: 0 is \"\", and 1 to "
     << manifest.strings.size()
     << " are those that the model\n   names, see below. The model copies "
        "numbers, and strings\n   are equal where their numbers are. "
        "flywheel_intern() of the runtime library\n   gives numbers to other "
        "strings; those of a table of the program's "
        "own\n   cannot be saved to checkpoints. */\n#define "
     << macro << "_NUM_STRINGS " << manifest.strings.size() << "\n\n"
     << "/* The bytes of a string that the model names, with a terminator, "
        "and how many they\n   are; NULL for any other number. */\n"
        "FLYWHEEL_INLINE const char *"
     << prefix << "_string(int64_t number, size_t *bytes) {\n";
  writeLongStrings();
  os << "  static const struct {\n    const char *text;\n    size_t bytes;\n"
        "  } table[] = {\n      {\"\", 0},\n";
  for (size_t index = 0; index < manifest.strings.size(); ++index)
    os << "      {" << getStringExpression(index) << ", "
       << manifest.strings[index].size() << "},\n";
  os << "  };\n  if (number < 0 || number > " << macro
     << "_NUM_STRINGS)\n    return NULL;\n  if (bytes)\n    *bytes = "
        "table[number].bytes;\n  return table[number].text;\n}\n\n";
}

void CHeaderState::writeCollections() {
  llvm::MapVector<StringRef, std::string> members;
  for (const ManifestVariable &variable : manifest.variables)
    for (StringRef collection : variable.collections)
      members[collection];
  for (auto &[collection, list] : members)
    for (const ManifestVariable &variable : manifest.variables)
      list += variable.isInCollection(collection) ? "1, " : "0, ";
  std::string name = prefix + "_in_collection";
  // No variable is in a collection without a name, or without a number.
  os << "/* 1 if variable number i is in the collection, by its name; 0 if "
        "not. */\nFLYWHEEL_INLINE int "
     << name << "(int i, const char *collection) {\n"
     << "  if (collection == NULL || i < 0 || i >= "
     << manifest.variables.size() << ")\n    return 0;\n";
  for (auto &[collection, list] : members)
    os << "  if (strcmp(collection, \"" << escapeForC(collection)
       << "\") == 0) {\n    static const unsigned char members[] = {"
       << StringRef(list).drop_back(2) << "};\n    return members[i];\n  }\n";
  os << "  (void)i, (void)collection;\n  return 0;\n}\n\n";
}

void CHeaderState::writeAccessors() {
  writeHeaderOffsets();
  writeCollections();
  writeInline(
      R"(/* The number of a variable, or -1 if there is none of that name. */
FLYWHEEL_INLINE int @_find_variable(const char *name) {
  int i;
  for (i = 0; name != NULL && i < $_NUM_VARIABLES; ++i)
    if (strcmp(@_variables()[i].name, name) == 0)
      return i;
  return -1;
}

/* Makes s a block in which no variable has a value: for a program that sets
   every value itself and has no use for @_init. A block with strings of the
   runtime library goes through flywheel_release() first. */
FLYWHEEL_INLINE void @_reset(@_state *s) {
  uint64_t hash = $_LAYOUT_HASH;
  if (s == NULL)
    return;
%x
  memset(s, 0, $_HEADER_BYTES);
  memcpy(s, &hash, sizeof(hash));
}

/* 1 if s is a block of this model that @_init or @_reset has seen. */
FLYWHEEL_INLINE int @_is_valid(const @_state *s) {
  uint64_t hash;
  if (s == NULL)
    return 0;
  memcpy(&hash, s, sizeof(hash));
  return hash == $_LAYOUT_HASH;
}

/* 1 if the variable has a value, 0 if not or if there is none of that name. */
FLYWHEEL_INLINE int @_is_initialized(const @_state *s, const char *name) {
  int i = @_find_variable(name);
  return i >= 0 && @_is_valid(s) &&
         ((const unsigned char *)s)[$_INITIALIZED_OFFSET + i] != 0;
}

/* Writes the names of the variables without a value, at most `capacity` of them,
   to `names`: first those of GLOBAL, then those of LOCAL, each in the order of the
   block. Returns how many there are. */
FLYWHEEL_INLINE int @_report_uninitialized(const @_state *s, const char **names,
                                         int capacity) {
  int pass, i, count = 0;
  for (pass = 0; pass < 2; ++pass)
    for (i = 0; i < $_NUM_VARIABLES; ++i) {
      int isGlobal = @_in_collection(i, "GLOBAL");
      if (pass == 0 ? !isGlobal : isGlobal || !@_in_collection(i, "LOCAL"))
        continue;
      if (@_is_valid(s) && ((const unsigned char *)s)[$_INITIALIZED_OFFSET + i])
        continue;
      if (count < capacity)
        names[count] = @_variables()[i].name;
      ++count;
    }
  return count;
}

/* Keeps a status and its text, the pieces one after the other: the block has a
   status with a text as a number below 0. */
FLYWHEEL_INLINE int32_t @_set_status(@_state *s, int32_t status, const char *a,
                                   const char *b, const char *c) {
  char *text = (char *)s + $_TEXT_OFFSET;
  const char *pieces[3];
  size_t used = 0;
  int32_t kept = status > 0 ? -status : status;
  int i;
  if (s == NULL)
    return status;
  pieces[0] = a, pieces[1] = b, pieces[2] = c;
  for (i = 0; kept < 0 && i < 3; ++i) {
    size_t size = strlen(pieces[i]);
    if (size > $_TEXT_BYTES - 1 - used)
      size = $_TEXT_BYTES - 1 - used;
    memcpy(text + used, pieces[i], size);
    used += size;
    text[used] = 0;
  }
  memcpy((unsigned char *)s + $_STATUS_OFFSET, &kept, sizeof(kept));
  return status;
}

/* The error of a block that is none of this model. Its text is the object's. */
FLYWHEEL_INLINE int32_t @_refuse_block(@_state *s) {
  const int32_t message = $_NOT_INITIALIZED_MESSAGE;
  if (s == NULL)
    return $_E_NULL_STATE;
  memcpy((unsigned char *)s + $_STATUS_OFFSET, &message, sizeof(message));
  return $_E_NOT_INITIALIZED;
}

/* Finds a variable of that size for the two functions below, or fails. */
FLYWHEEL_INLINE int32_t @_check_variable(@_state *s, const char *name,
                                       const void *data, size_t bytes,
                                       int *index) {
  if (!@_is_valid(s))
    return @_refuse_block(s);
  *index = @_find_variable(name);
  if (*index < 0)
    return @_set_status(s, $_E_NOT_FOUND, "no variable is called '",
                        name ? name : "", "'");
  if (@_variables()[*index].bytes != bytes)
    return @_set_status(s, $_E_INVALID_ARGUMENT, "variable '", name,
                        "' has another size in bytes than what is given");
  if (data == NULL && bytes != 0)
    return @_set_status(s, $_E_NULL_ARGUMENT, "the data of variable '", name,
                        "' is a null pointer");
  return 0;
}

/* Copies `bytes` bytes, the size of the variable, into it; it then has a value.
   Returns 0 or a status. */
FLYWHEEL_INLINE int32_t @_set_variable(@_state *s, const char *name,
                                     const void *data, size_t bytes) {
  int i = 0;
  int32_t status = @_check_variable(s, name, data, bytes, &i);
  if (status != 0)
    return status;
%w
  if (bytes != 0)
    memmove((unsigned char *)s + @_variables()[i].offset, data, bytes);
  ((unsigned char *)s)[$_INITIALIZED_OFFSET + i] = 1;
  return @_set_status(s, 0, "", "", "");
}

/* Copies a variable of `bytes` bytes out of the block. Returns 0 or a status. */
FLYWHEEL_INLINE int32_t @_get_variable(@_state *s, const char *name, void *data,
                                     size_t bytes) {
  int i = 0;
  int32_t status = @_check_variable(s, name, data, bytes, &i);
  if (status != 0)
    return status;
  if (!((const unsigned char *)s)[$_INITIALIZED_OFFSET + i])
    return @_set_status(s, $_E_UNINITIALIZED_VARIABLE, "Attempting to use uninitialized value ", name,
                        "");
%r
  if (bytes != 0)
    memcpy(data, (const unsigned char *)s + @_variables()[i].offset, bytes);
  return @_set_status(s, 0, "", "", "");
}

/* The elements of a variable, in the block; NULL if there is none of that name.
   Writing there does not give it a value: see @_set_variable. */
FLYWHEEL_INLINE void *@_variable(@_state *s, const char *name) {
  int i = @_find_variable(name);
  return i < 0 ? NULL : (void *)((unsigned char *)s + @_variables()[i].offset);
}

/* @_init_some of one variable, by its name. */
FLYWHEEL_INLINE int32_t @_init_variable(@_state *s, uint64_t seed,
                                      const char *name) {
  uint8_t select[$_NUM_VARIABLES] = {0};
  int i = @_find_variable(name);
  if (i < 0) {
    if (!@_is_valid(s))
      return @_refuse_block(s);
    return @_set_status(s, $_E_NOT_FOUND, "no variable is called '",
                        name ? name : "", "'");
  }
  select[i] = 1;
  return @_init_some(s, seed, select);
}

/* @_init_some of the variables of a collection. */
FLYWHEEL_INLINE int32_t @_init_collection(@_state *s, uint64_t seed,
                                        const char *collection) {
  uint8_t select[$_NUM_VARIABLES];
  int i;
  for (i = 0; i < $_NUM_VARIABLES; ++i)
    select[i] = (uint8_t)@_in_collection(i, collection);
  return @_init_some(s, seed, select);
}

)");
}

void CHeaderState::writeCheckpoints() {
  os << "\n#if defined(FLYWHEEL_FLYWHEEL_H) && !defined(" << macro
     << "_MODEL)\n#define " << macro << "_MODEL\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/* The model as the functions of flywheel.h take it. */\n"
        "FLYWHEEL_INLINE const flywheel_model *"
     << prefix << "_model(void) {\n";
  if (!manifest.variables.empty()) {
    os << "  static const int64_t shapes[] = {";
    for (const ManifestVariable &variable : manifest.variables)
      for (int64_t dimSize : variable.type.getShape())
        os << dimSize << ", ";
    os << "0};\n  static const flywheel_variable variables[] = {\n";
    size_t position = 0;
    for (const ManifestVariable &variable : manifest.variables) {
      os << "      {\"" << escapeForC(variable.name) << "\", \""
         << getDTypeName(variable.type.getElementType()) << "\", shapes + "
         << position << ", " << variable.type.getRank() << ", "
         << variable.isInCollection(kGlobalCollection) << ", "
         << variable.offset << "u, " << variable.bytes << "u},\n";
      position += variable.type.getRank();
    }
    os << "  };\n";
  }
  if (!manifest.strings.empty()) {
    writeLongStrings();
    os << "  static const flywheel_string strings[] = {\n";
    for (size_t index = 0; index < manifest.strings.size(); ++index)
      os << "      {" << getStringExpression(index) << ", "
         << manifest.strings[index].size() << "u},\n";
    os << "  };\n";
  }
  size_t count = manifest.variables.size();
  os << "  static const flywheel_model model = {\n      "
        "FLYWHEEL_MODEL_VERSION, \""
     << escapeForC(manifest.model) << "\", " << getLayoutHash() << ", " << count
     << "u, " << (count ? "variables" : "NULL") << ",\n      "
     << manifest.stateBytes << "u, " << kStateSeedOffset << "u, "
     << kStateStatusOffset << "u, " << kStateInitializedOffset << "u, "
     << getStateRunsOffset(count) << "u, " << getStateTextOffset(count) << "u, "
     << kStateTextBytes << "u, " << kStateStringsOffset << "u, "
     << manifest.strings.size() << "u, "
     << (manifest.strings.empty() ? "NULL" : "strings")
     << "};\n  return &model;\n}\n";
  writeInline(R"(
/* Writes all variables of GLOBAL to a checkpoint. Returns 0 or a status. */
FLYWHEEL_INLINE int32_t @_save(@_state *s, const char *path) {
%r
  return flywheel_save(@_model(), s, path, NULL);
}

/* The same at PREFIX-STEP, of which the newest five are kept, with a state file
   that names the latest. */
FLYWHEEL_INLINE int32_t @_save_step(@_state *s, const char *prefix,
                                  int64_t step) {
%r
  return flywheel_save_step(@_model(), s, prefix, step, NULL, NULL, NULL, 0);
}

/* Fills all variables of GLOBAL from a checkpoint. The block needs no @_init
   before; the text of an error on such a block is in flywheel_last_error().
   Returns 0 or a status. */
FLYWHEEL_INLINE int32_t @_restore(@_state *s, const char *path) {
%w
  return flywheel_restore(@_model(), s, path, NULL);
}

/* The same from the latest checkpoint of a directory, if there is one: sets
   *restored to 1 or 0. */
FLYWHEEL_INLINE int32_t @_restore_latest(@_state *s, const char *directory,
                                       int32_t *restored) {
%w
  return flywheel_restore_latest(@_model(), s, directory, NULL, NULL, restored);
}

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
)");
}
