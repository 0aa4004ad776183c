//===- CInterfaceBlock.h - A block of state of a program in C ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CINTERFACEBLOCK_H
#define FLYWHEEL_RUNTIME_CINTERFACEBLOCK_H

#include "flywheel/Runtime/VariableCheckpoint.h"
#include "flywheel/flywheel.h"

#include <memory>

namespace flywheel::runtime {

/// The access of a call to the values of a block.
enum class Access { Save, Restore };

/// A block of state and the model that describes it. The block may be of
/// another layout: memory of any content, or a block of another model, which
/// may be smaller. Nothing has a value there, and until prepare() nothing but
/// the status is written, which is at one place in every layout.
class Block {
public:
  /// Both pointers must outlive the block; isUsable() must hold.
  Block(const flywheel_model *model, void *state);
  /// States that are described refer to it.
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Returns true if the block and a description that this library understands
  /// are given; otherwise no error can be stored.
  static bool isUsable(const flywheel_model *model, const void *state);

  bool hasLayout() const;

  /// Makes a block of any content one of this layout.
  void prepare();

  /// Returns the strings of the block, null if it has none yet.
  StringTable *getStrings() const;

  /// Returns the same, and creates it if needed. In a block of another layout,
  /// it becomes the block's by prepare().
  StringTable &makeStrings();

  /// Frees the strings; the variables that have some have no value then.
  void releaseStrings();

  /// Returns the numbers that variables with a value have.
  std::vector<int64_t> getLiveStrings() const;

  /// Returns the variables for the library, which prepares the block before a
  /// restore changes it. Error: kInvalidArgument when the description
  /// contradicts itself.
  Result<ProgramState> describe(Access access);

  /// Makes \p status that of the block, and a return value.
  int32_t finish(const Status &status);

  /// Returns the error of the last call of finish() on the block, or "" after a
  /// success.
  const char *getLastError() const;

private:
  bool hasStrings(size_t variable) const;
  void setStrings(StringTable *table);

  const flywheel_model &model;
  std::byte *bytes;
  /// Strings for a block of another layout.
  std::unique_ptr<StringTable> newStrings;
  /// Stands for the flags of a block of another layout.
  std::byte noValue{0};
};

/// Copies \p text, as much of it as fits, and ends it with a null byte. UTF-8
/// is not cut within a character.
void copyText(const std::string &text, char *to, size_t bytes);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CINTERFACEBLOCK_H
