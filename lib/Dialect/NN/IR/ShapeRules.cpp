//===- ShapeRules.cpp - Shapes of operands and results --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/ShapeRules.h"

#include "NNSupport.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

int64_t NamedSizes::Size::getNumber() const {
  return tensorOf(places[known].value).getDimSize(places[known].dim);
}

size_t NamedSizes::find(Key key) const {
  return llvm::find_if(sizes,
                       [&](const Size &size) { return size.key == key; }) -
         sizes.begin();
}

/// Returns the names of the dimensions of a term. For an operand, the number of
/// dimensions of a group that has not been met yet is what is left of its rank.
FailureOr<SmallVector<NamedSizes::Key>>
NamedSizes::expand(ShapeTerm term, Value operand, OpErrors errors) {
  SmallVector<StringRef> names;
  term.dims.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto findGroup = [&](StringRef name) {
    return llvm::find_if(
        groups, [&](const auto &group) { return group.first == name; });
  };
  int64_t numKnown = 0;
  StringRef open;
  for (StringRef name : names) {
    if (!name.ends_with("..."))
      ++numKnown;
    else if (auto *group = findGroup(name); group != groups.end())
      numKnown += group->second;
    else
      open = name;
  }
  if (operand) {
    int64_t rank = tensorOf(operand).getRank(), rest = rank - numKnown;
    bool isOfAxis = axis && groups.size() == 1;
    if (open.empty() ? rest != 0 : rest < 0) {
      if (isOfAxis && !open.empty())
        return errors.emitOpError()
               << "expected axis within [0, " << rank << "), found " << *axis;
      return errors.emitOpError() << "expected " << term.name << " of rank "
                                  << (open.empty() ? "" : "at least ")
                                  << numKnown << ", found rank " << rank;
    }
    if (!open.empty())
      groups.emplace_back(open, rest);
  }
  SmallVector<Key> keys;
  for (StringRef name : names) {
    auto *group = findGroup(name);
    if (group == groups.end())
      keys.emplace_back(name, 0);
    else
      for (int64_t number = 0; number < group->second; ++number)
        keys.emplace_back(name, number);
  }
  return keys;
}

LogicalResult NamedSizes::add(Key key, Place place, OpErrors errors) {
  size_t number = find(key);
  int64_t found = tensorOf(place.value).getDimSize(place.dim);
  if (isNonEmpty(key) && found == 0)
    return errors.emitOpError()
           << "expected a non-empty axis, found " << place.value.getType();
  if (number == sizes.size()) {
    sizes.push_back({key, {place}, 0});
    return success();
  }
  Size &size = sizes[number];
  relations.emplace_back(size.places.front(), place);
  size.places.push_back(place);
  if (ShapedType::isDynamic(found))
    return success();
  int64_t known = size.getNumber();
  if (ShapedType::isDynamic(known)) {
    size.known = size.places.size() - 1;
    return success();
  }
  if (known == found)
    return success();
  const Place &other = size.places[size.known];
  return errors.emitOpError()
         << "expected equal "
         << describeEqualSizes(other.dim, other.name, place.dim, place.name)
         << ", found " << known << " and " << found;
}

FailureOr<NamedSizes> NamedSizes::match(const ShapeRule &rule,
                                        ArrayRef<Value> operands,
                                        OpErrors errors) {
  NamedSizes sizes;
  if (rule.axis) {
    sizes.axis = rule.axis;
    sizes.groups.emplace_back("before...", *rule.axis);
  }
  for (auto [term, operand] : llvm::zip_equal(rule.operands, operands)) {
    if (!operand)
      continue;
    if (rule.axis && *rule.axis < 0)
      return errors.emitOpError()
             << "expected axis within [0, " << tensorOf(operand).getRank()
             << "), found " << *rule.axis;
    FailureOr<SmallVector<Key>> keys = sizes.expand(term, operand, errors);
    if (failed(keys))
      return failure();
    for (auto [dim, key] : llvm::enumerate(*keys))
      if (failed(sizes.add(key, {operand, static_cast<int64_t>(dim), term.name},
                           errors)))
        return failure();
  }
  for (ShapeTerm term : rule.results)
    sizes.results.push_back(*sizes.expand(term, Value(), errors));
  return sizes;
}

SmallVector<int64_t> NamedSizes::getResultShape(unsigned result) const {
  return llvm::map_to_vector(
      results[result], [&](Key key) { return sizes[find(key)].getNumber(); });
}

DimSizeSource NamedSizes::getSource(unsigned result, int64_t dim) const {
  const Place &place = sizes[find(results[result][dim])].places.front();
  return {place.value, place.dim};
}

void NamedSizes::relate(SizeRelationSink &sink) const {
  for (const auto &[a, b] : relations)
    sink.equalDims(a.value, a.dim, b.value, b.dim, a.name, b.name);
  for (const Size &size : sizes)
    if (isNonEmpty(size.key))
      sink.atLeast(size.places.front().value, size.places.front().dim, 1,
                   "a non-empty axis", "dimension size \1");
}

LogicalResult nn::verifyInferredTypes(Operation *op, ArrayRef<Type> inferred) {
  for (auto [result, type] : llvm::zip_equal(op->getResults(), inferred))
    if (failed(verifyResultShape(op, result,
                                 cast<RankedTensorType>(type).getShape())))
      return failure();
  return success();
}
