//===- CHeaderText.h - Text shared by the parts of a C header ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_CHEADER_CHEADERTEXT_H
#define FLYWHEEL_LIB_TARGET_CHEADER_CHEADERTEXT_H

#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace flywheel {

/// Returns `text` within a C string literal; nothing that could end a comment
/// either.
std::string escapeForC(llvm::StringRef text);

/// Returns a number of bytes as C and its preprocessor take it: without a cast.
std::string formatForIf(int64_t bytes);

/// Returns `text` within a comment.
std::string toCComment(llvm::StringRef text);

/// Returns `name` as the rest of a macro's name.
std::string toMacroPart(llvm::StringRef name);

/// Returns `base`, or `base` with a number if that is taken, and marks it as
/// taken.
std::string takeMacro(const std::string &base, llvm::StringSet<> &taken);

/// The names and the stream that each part of a header writes with.
class CHeaderPart {
protected:
  CHeaderPart(const Manifest &manifest, llvm::raw_ostream &os)
      : manifest(manifest), prefix(toCIdentifier(manifest.model)),
        macro(toCMacro(manifest.model)), os(os) {}

  const Manifest &manifest;
  std::string prefix, macro;
  llvm::raw_ostream &os;
};

/// The part about the block: variables, strings, collections, and functions on
/// them that the header itself defines.
class CHeaderState : CHeaderPart {
public:
  CHeaderState(const Manifest &manifest, llvm::raw_ostream &os)
      : CHeaderPart(manifest, os) {}

  void writeStrings();
  void writeVariables();
  /// Writes the description for the runtime library, behind the header's guard,
  /// so that the order of includes does not matter.
  void writeCheckpoints();

private:
  void writeVariableMacros();
  void writeInline(llvm::StringRef text);
  void writeHeaderOffsets();
  void writeLongStrings();
  /// Returns the initializer of a pointer to the bytes of a string of the
  /// model.
  std::string getStringExpression(size_t index);
  void writeCollections();
  void writeAccessors();
  std::string getLayoutHash();
  int64_t getMaxRank();
  bool hasStrings();
};

/// The part for profiling, in a model that is compiled for it.
class CHeaderProfile : CHeaderPart {
public:
  CHeaderProfile(const Manifest &manifest, llvm::raw_ostream &os)
      : CHeaderPart(manifest, os) {}

  void write();

private:
  void writeTable();
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_CHEADER_CHEADERTEXT_H
