//===- ManifestWeights.cpp - Weights of a model ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel {

/// Returns "w, b and 3 others".
static std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t kMostNames = 4;
  size_t shown = names.size() > kMostNames ? kMostNames - 1 : names.size();
  std::string last = shown < names.size()
                         ? std::to_string(names.size() - shown) + " others"
                         : names[--shown];
  return shown == 0
             ? last
             : llvm::join(names.take_front(shown), ", ") + " and " + last;
}

std::string Manifest::describeWeights() const {
  std::vector<std::string> stored, restored;
  for (const ManifestVariable &variable : variables) {
    if (variable.start == VariableStart::Checkpoint)
      stored.push_back(variable.name);
    if (variable.start == VariableStart::Restored)
      restored.push_back(variable.name);
  }
  std::string prefix = toCIdentifier(model);
  std::vector<std::string> parts;
  if (!stored.empty())
    parts.push_back(prefix + "_init gives " + listNames(stored) +
                    " the values of a checkpoint");
  if (!restored.empty())
    parts.push_back(listNames(restored) +
                    (restored.size() == 1 ? " has" : " have") +
                    " no value before " + prefix + "_restore");
  if (!constants.empty())
    parts.push_back(listNames(constants) + (constants.size() == 1
                                                ? " is a constant"
                                                : " are constants"));
  if (stored.empty() && restored.empty() && !variables.empty())
    parts.push_back(prefix +
                    "_init gives variables the initial values of the program");
  return llvm::join(parts, "; ");
}

} // namespace flywheel
