//===- Places.cpp - Modules that differ in places -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Places.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace flywheel {

int64_t PlaceNumbering::getNumber(Location location) {
  auto [found, isNew] = known.try_emplace(location, -1);
  if (!isNew)
    return found->second;
  std::string place = formatPlace(location, /*op=*/nullptr);
  if (place.empty())
    return -1;
  auto [number, isNewPlace] = numbers.try_emplace(place, places.size());
  if (isNewPlace)
    places.push_back(std::move(place));
  return found->second = number->second;
}

void walkLocations(ModuleOp module, llvm::function_ref<void(Location)> handle) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    handle(op->getLoc());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        handle(argument.getLoc());
  });
}

std::vector<std::string> getPlaces(ModuleOp module) {
  PlaceNumbering numbering;
  walkLocations(module,
                [&](Location location) { numbering.getNumber(location); });
  return numbering.getPlaces();
}

void numberPlaces(ModuleOp module) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> numbers;
  for (auto [number, place] : llvm::enumerate(getPlaces(module)))
    numbers.emplace_back(place, b.getI64IntegerAttr(number));
  module->setAttr(kPlacesAttrName, b.getDictionaryAttr(numbers));
}

} // namespace flywheel
