//===- ManifestJSON.cpp - The JSON form of a manifest ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form, all sizes and offsets in bytes:
//
//   { "format": 2, "model": NAME, "layout_hash": "0x...",
//     "interface_hash": "...", "max_dim_size": N, "threads": N,
//     "state": { "bytes": N, "alignment": N, "hash_offset": N,
//                "seed_offset": N, "status_offset": N, "sizes_offset": N,
//                "initialized_offset": N, "runs_offset": N, "text_offset": N,
//                "text_bytes": N },
//     "workspace_bytes": N, "c_state_bytes": N,
//     "variables": [ { "name", "dtype", "shape": [N...], "offset", "bytes",
//                      "initialized_offset", "runs_offset", "trainable",
//                      "slot_of", "collections": [NAME...], "device",
//                      "initial_reads": [NAME...],
//                      "initial_values": [NAME...], "start": NAME } ],
//     "constants": [NAME...],
//     "entries": [ { "name", "symbol", "feeds": [ARG...], "results": [ARG...],
//                    "dim_sizes": [NAME...], "max_dim_sizes": [N...],
//                    "reads": [NAME...], "writes": [NAME...],
//                    "initialized_values": [NAME...], "workspace_bytes": N,
//                    "checks": [NUMBER...], "workers": N } ],
//     "messages": [ { "number", "status", "kind", "text" } ],
//     "strings": [ { "number", "text" } or { "number", "hex" } ] }
//
// with ARG = { "name", "dtype", "shape": [N or the name of a dimension size...]
// }. A message has a number, which the block keeps as the status of a call, and
// the number of its kind, which functions return. `slot_of` is null if a
// variable is not a slot, `device` if the program does not request one. `start`
// is the source of the initial value: `program`, `checkpoint`, or `restored`
// for a variable that the initializer gives none. `constants` are variables
// that are constants of the program. `c_state_bytes` is the size of the block
// of the C interface, which includes the workspace. Each symbol also has an
// alias with the suffix `_` and `interface_hash`, which differs in an object of
// other sizes, bounds or parameters. `max_dim_size` bounds the dimension sizes
// that have no bound of their own. `threads` and `workers`, the largest number
// of workers of a team in the model and in an entry, are given if the model is
// compiled for several threads.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Model/StatusMessage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;

namespace flywheel {

static Object toObject(const ManifestArgument &argument,
                       const ManifestEntry &entry) {
  Array shape;
  for (auto [dimSize, symbol] :
       llvm::zip_equal(argument.type.getShape(), argument.symbols)) {
    if (symbol < 0)
      shape.push_back(dimSize);
    else
      shape.push_back(entry.symbols[symbol]);
  }
  return Object{{"name", argument.name},
                {"dtype", getDTypeName(argument.type.getElementType())},
                {"shape", std::move(shape)}};
}

static Array toNames(const Manifest &manifest,
                     const std::vector<int64_t> &indices) {
  Array array;
  for (int64_t index : indices)
    array.push_back(manifest.variables[index].name);
  return array;
}

static Object toObject(const Manifest &manifest, int64_t index) {
  const ManifestVariable &variable = manifest.variables[index];
  Object object{{"name", variable.name},
                {"dtype", getDTypeName(variable.type.getElementType())},
                {"shape", Array(variable.type.getShape())},
                {"offset", variable.offset},
                {"bytes", variable.bytes},
                {"initialized_offset", kStateInitializedOffset + index},
                {"runs_offset",
                 getStateRunsOffset(manifest.variables.size()) + 8 * index},
                {"trainable", variable.trainable},
                {"slot_of", nullptr},
                {"collections", Array(variable.collections)},
                {"device", nullptr},
                {"initial_reads", toNames(manifest, variable.initialReads)},
                {"initial_values", toNames(manifest, variable.initialValues)},
                {"start", getName(variable.start)}};
  if (!variable.slotOf.empty())
    object["slot_of"] = variable.slotOf;
  if (!variable.device.empty())
    object["device"] = variable.device;
  return object;
}

static Object toObject(const Manifest &manifest, const ManifestEntry &entry,
                       const DimSizeBounds &bounds) {
  auto toArguments = [&](const std::vector<ManifestArgument> &arguments) {
    Array array;
    for (const ManifestArgument &argument : arguments)
      array.push_back(toObject(argument, entry));
    return array;
  };
  Array checks;
  for (int64_t index : entry.checks)
    checks.push_back(index + 1);
  std::vector<int64_t> dimSizes = bounds.lookupAll(entry.symbols);
  Object object{
      {"name", entry.name},
      {"symbol", getEntrySymbol(manifest, entry)},
      {"feeds", toArguments(entry.feeds)},
      {"results", toArguments(entry.results)},
      {"dim_sizes", Array(entry.symbols)},
      {"max_dim_sizes", Array(dimSizes)},
      {"reads", toNames(manifest, entry.reads)},
      {"writes", toNames(manifest, entry.writes)},
      {"initialized_values", toNames(manifest, entry.initializedValues)},
      {"workspace_bytes", entry.getMaxWorkspaceBytes(dimSizes).getSaturated()},
      {"checks", std::move(checks)}};
  if (manifest.threads > 1)
    object["workers"] = entry.workers;
  return object;
}

llvm::json::Value Manifest::toJSON(const DimSizeBounds &bounds) const {
  Array variableList, entryList, messageList, stringList;
  for (size_t index = 0; index < variables.size(); ++index)
    variableList.push_back(toObject(*this, index));
  for (const ManifestEntry &entry : entries)
    entryList.push_back(toObject(*this, entry, bounds));
  for (auto [index, message] : llvm::enumerate(messages))
    messageList.push_back(Object{{"number", static_cast<int64_t>(index) + 1},
                                 {"status", static_cast<int64_t>(message.kind)},
                                 {"kind", getName(message.kind)},
                                 {"text", formatNumbers(message.text)}});
  for (auto [index, text] : llvm::enumerate(strings)) {
    Object string{{"number", static_cast<int64_t>(index) + 1}};
    if (llvm::json::isUTF8(text))
      string["text"] = text;
    else
      string["hex"] = llvm::toHex(text);
    stringList.push_back(std::move(string));
  }
  Object object{
      {"format", 2},
      {"model", model},
      {"layout_hash", "0x" + llvm::utohexstr(layoutHash, true, 16)},
      {"interface_hash", getInterfaceHash(*this, bounds)},
      {"max_dim_size", bounds.others},
      {"state", Object{{"bytes", stateBytes},
                       {"alignment", kStateAlignment},
                       {"hash_offset", kStateHashOffset},
                       {"seed_offset", kStateSeedOffset},
                       {"status_offset", kStateStatusOffset},
                       {"sizes_offset", kStateNumbersOffset},
                       {"initialized_offset", kStateInitializedOffset},
                       {"runs_offset", getStateRunsOffset(variables.size())},
                       {"text_offset", getStateTextOffset(variables.size())},
                       {"text_bytes", kStateTextBytes}}},
      {"workspace_bytes", getMaxWorkspaceBytes(*this, bounds).getSaturated()},
      {"c_state_bytes", getCStateBytes(*this, bounds).getSaturated()},
      {"variables", std::move(variableList)},
      {"entries", std::move(entryList)},
      {"messages", std::move(messageList)},
      {"strings", std::move(stringList)},
      {"constants", Array(constants)}};
  if (threads > 1)
    object["threads"] = threads;
  return object;
}

} // namespace flywheel
