//===- CInterfaceStrings.cpp - Strings for programs in C ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CInterfaceBlock.h"

using namespace flywheel::runtime;

/// Checks the layout of the block. Error: kFailedPrecondition for a block of
/// another layout.
static Status checkLayout(const flywheel_model *model, const Block &block) {
  if (block.hasLayout())
    return Status();
  return Status::failedPrecondition(
      std::string("the block of state is none of model '") + model->name +
      "': initialize, reset or restore it first");
}

int32_t flywheel_intern(const flywheel_model *model, void *state,
                        const char *text, size_t bytes, int64_t *number) {
  if (!Block::isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  if ((!text && bytes != 0) || !number)
    return block.finish(
        Status::invalidArgument("the string to intern, or the place for its "
                                "number, is a null pointer"));
  if (Status status = checkLayout(model, block); !status.isOk())
    return block.finish(status);
  *number = block.makeStrings().intern({text, bytes});
  return block.finish(Status());
}

const char *flywheel_text(const flywheel_model *model, const void *state,
                          int64_t number, size_t *bytes) {
  if (!Block::isUsable(model, state))
    return nullptr;
  flywheel_string found = {nullptr, 0};
  StringTable *table = Block(model, const_cast<void *>(state)).getStrings();
  if (number == 0)
    found = {"", 0};
  else if (number > 0 && static_cast<size_t>(number) <= model->num_strings)
    found = model->strings[number - 1];
  else if (std::string_view text = table ? table->text(number) : "";
           !text.empty())
    found = {text.data(), text.size()};
  if (bytes)
    *bytes = found.bytes;
  return found.text;
}

int32_t flywheel_collect_strings(const flywheel_model *model, void *state) {
  if (!Block::isUsable(model, state))
    return FLYWHEEL_INVALID_ARGUMENT;
  Block block(model, state);
  if (Status status = checkLayout(model, block); !status.isOk())
    return block.finish(status);
  if (StringTable *table = block.getStrings())
    table->collect(block.getLiveStrings());
  return block.finish(Status());
}

void flywheel_release(const flywheel_model *model, void *state) {
  if (Block::isUsable(model, state))
    Block(model, state).releaseStrings();
}
