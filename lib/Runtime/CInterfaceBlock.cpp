//===- CInterfaceBlock.cpp - A block of state of a program in C -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CInterfaceBlock.h"

#include <algorithm>
#include <cstring>

using namespace flywheel::runtime;

/// The error of the last call of this thread on a block of another layout,
/// which has no place for texts.
static thread_local struct {
  const void *block;
  char text[512];
} foreignError;

void flywheel::runtime::copyText(const std::string &text, char *to,
                                 size_t bytes) {
  if (bytes == 0)
    return;
  size_t size = std::min(text.size(), bytes - 1);
  if (size < text.size())
    while (size && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
      --size;
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

Block::Block(const flywheel_model *model, void *state)
    : model(*model), bytes(static_cast<std::byte *>(state)) {}

bool Block::isUsable(const flywheel_model *model, const void *state) {
  return model && state && model->version == FLYWHEEL_MODEL_VERSION;
}

bool Block::hasLayout() const {
  return std::memcmp(bytes, &model.layout_hash, sizeof(uint64_t)) == 0;
}

void Block::prepare() {
  if (hasLayout())
    return;
  std::memset(bytes, 0, model.text_offset + model.text_bytes);
  std::memcpy(bytes, &model.layout_hash, sizeof(uint64_t));
  setStrings(newStrings.release());
}

StringTable *Block::getStrings() const {
  StringTable *table = newStrings.get();
  if (hasLayout())
    std::memcpy(&table, bytes + model.strings_offset, sizeof(table));
  return table;
}

StringTable &Block::makeStrings() {
  StringTable *table = getStrings();
  if (table)
    return *table;
  std::vector<std::string> constants;
  for (size_t i = 0; i < model.num_strings; ++i)
    constants.emplace_back(model.strings[i].text, model.strings[i].bytes);
  table = new StringTable(constants);
  if (hasLayout())
    setStrings(table);
  else
    newStrings.reset(table);
  return *table;
}

void Block::setStrings(StringTable *table) {
  std::memcpy(bytes + model.strings_offset, &table, sizeof(table));
}

bool Block::hasStrings(size_t variable) const {
  return dtypeFromNumpyName(model.variables[variable].dtype) == DType::String;
}

void Block::releaseStrings() {
  StringTable *table = getStrings();
  if (!table)
    return;
  delete table;
  setStrings(nullptr);
  for (size_t index = 0; index < model.num_variables; ++index)
    if (hasStrings(index))
      bytes[model.initialized_offset + index] = std::byte{0};
}

std::vector<int64_t> Block::getLiveStrings() const {
  std::vector<int64_t> live;
  for (size_t index = 0; index < model.num_variables; ++index) {
    const flywheel_variable &variable = model.variables[index];
    if (!hasStrings(index) || variable.bytes == 0 ||
        bytes[model.initialized_offset + index] == std::byte{0})
      continue;
    size_t begin = live.size();
    live.resize(begin + variable.bytes / sizeof(int64_t));
    std::memcpy(live.data() + begin, bytes + variable.offset, variable.bytes);
  }
  return live;
}

Result<ProgramState> Block::describe(Access access) {
  ProgramState described;
  bool isAccessible = hasLayout() || access == Access::Restore;
  described.model = model.name;
  described.seed = bytes + model.seed_offset;
  described.prepare = [this] { prepare(); };
  for (size_t index = 0; index < model.num_variables; ++index) {
    const flywheel_variable &variable = model.variables[index];
    std::optional<DType> dtype = dtypeFromNumpyName(variable.dtype);
    Shape shape(variable.shape, variable.shape + variable.rank);
    // A block holds strings as numbers.
    bool isString = dtype == DType::String;
    if (!dtype ||
        byteCount(isString ? DType::I64 : *dtype, shape) != variable.bytes)
      return Status::invalidArgument(
          std::string("the description of variable '") + variable.name +
          "' is wrong: dtype " + variable.dtype + ", shape " +
          formatShape(shape) + ", " + std::to_string(variable.bytes) +
          " bytes");
    if (isString)
      described.strings = &makeStrings();
    described.variables.push_back(
        {variable.name, *dtype, std::move(shape), bytes + variable.offset,
         isAccessible ? bytes + model.initialized_offset + index : &noValue,
         bytes + model.runs_offset + index * sizeof(uint64_t),
         variable.is_global != 0});
  }
  return described;
}

int32_t Block::finish(const Status &status) {
  int32_t code = -int32_t(status.code());
  std::memcpy(bytes + model.status_offset, &code, sizeof(code));
  if (hasLayout()) {
    foreignError.block = nullptr;
    copyText(status.message(),
             reinterpret_cast<char *>(bytes + model.text_offset),
             model.text_bytes);
    return code;
  }
  foreignError.block = bytes;
  copyText(status.message(), foreignError.text, sizeof(foreignError.text));
  return code;
}

const char *Block::getLastError() const {
  int32_t status;
  std::memcpy(&status, bytes + model.status_offset, sizeof(status));
  if (status >= 0)
    return "";
  if (hasLayout())
    return reinterpret_cast<const char *>(bytes + model.text_offset);
  if (foreignError.block == bytes)
    return foreignError.text;
  return "the block of state is none of this model";
}
