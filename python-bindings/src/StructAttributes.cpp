//===- StructAttributes.cpp - Attributes of fields that Python has --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <optional>
#include <typeinfo>

namespace nb = nanobind;
using namespace mlir;

namespace flywheel::python {

namespace {
/// The fields of one attribute, which `StructAttributes.inc` reads by name.
class Fields {
public:
  Fields(MLIRContext *context, const std::string &attribute, nb::dict fields)
      : context(context), attribute(attribute), fields(fields) {
    for (auto [name, value] : fields)
      if (!value.is_none())
        ++numUnread;
  }

  /// Returns the value of a field that has no default.
  template <typename T> T get(const char *name) {
    if (!find(name).is_valid())
      throw nb::value_error((std::string("expected a value of ") + name +
                             ", which has no default")
                                .c_str());
    return get<T>(name, T());
  }

  template <typename T> T get(const char *name, T otherwise) {
    nb::object value = find(name);
    if (!value.is_valid())
      return otherwise;
    --numUnread;
    try {
      convert(name, value, otherwise);
    } catch (const std::bad_cast &) {
      throw nb::value_error((std::string("expected another value as ") + name +
                             ", found " + nb::repr(value).c_str())
                                .c_str());
    }
    return otherwise;
  }

  /// Builds an attribute of values that are all that it takes.
  template <typename T, typename... Args> Attribute make(Args... values) {
    checkNames();
    return T::get(context, values...);
  }

  /// The same for an attribute with a verifier, which emits what is wrong.
  template <typename T, typename... Args>
  Attribute makeChecked(Args... values) {
    checkNames();
    return T::getChecked([this] { return emitError(UnknownLoc::get(context)); },
                         context, values...);
  }

private:
  /// Throws ValueError if the attribute has not asked for a field.
  void checkNames() const {
    if (numUnread != 0)
      throw nb::value_error(
          ("a field of '" + attribute + "' that it does not have").c_str());
  }

  /// Returns the value of a field, or null.
  nb::object find(const char *name) const {
    nb::str key(name);
    if (!fields.contains(key))
      return {};
    nb::object value = fields[key];
    return value.is_none() ? nb::object() : value;
  }

  static void convert(const char *name, nb::handle value, train::Real &result) {
    double number = nb::cast<double>(value);
    if (!std::isfinite(number))
      throw nb::value_error((std::string("expected a finite ") + name +
                             ", found " +
                             (std::isnan(number) ? "nan"
                              : number < 0       ? "-inf"
                                                 : "inf"))
                                .c_str());
    result = number;
  }
  static void convert(const char *, nb::handle value, int64_t &result) {
    result = nb::cast<int64_t>(value);
  }
  static void convert(const char *, nb::handle value, bool &result) {
    result = nb::cast<bool>(value);
  }
  template <typename T>
  static void convert(const char *name, nb::handle value,
                      std::optional<T> &result) {
    convert(name, value, result.emplace());
  }
  void convert(const char *, nb::handle value, StringAttr &result) {
    result = StringAttr::get(context, nb::cast<std::string>(value));
  }
  void convert(const char *name, nb::handle value, DenseI64ArrayAttr &result) {
    result = DenseI64ArrayAttr::get(context, getList<int64_t>(name, value));
  }
  void convert(const char *name, nb::handle value, DenseF64ArrayAttr &result) {
    SmallVector<double> numbers;
    llvm::append_range(numbers, getList<train::Real>(name, value));
    result = DenseF64ArrayAttr::get(context, numbers);
  }
  template <typename T>
  static SmallVector<T> getList(const char *name, nb::handle values) {
    SmallVector<T> list;
    for (nb::handle value : nb::iter(values))
      convert(name, value, list.emplace_back());
    return list;
  }

  MLIRContext *context;
  const std::string &attribute;
  nb::dict fields;
  /// The number of fields that no one has asked for.
  int numUnread = 0;
};
} // namespace

Attribute makeStruct(MLIRContext *context, const std::string &name,
                     nb::dict fields) {
  using namespace train;
  static const llvm::StringMap<Attribute (*)(Fields &)> makers = {
#include "StructAttributes.inc"
  };
  auto maker = makers.find(name);
  if (maker == makers.end())
    throw nb::value_error(("there is no attribute '" + name + "'").c_str());
  context->getOrLoadDialect<TrainDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  Fields all(context, name, fields);
  Attribute attribute = maker->second(all);
  if (!attribute)
    throw nb::value_error(error.c_str());
  return attribute;
}

void checkStruct(const std::string &name, nb::dict fields) {
  // Kept: making one takes longer than the check.
  thread_local auto owner =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  MLIRContext *context = owner.get();
  // A value that is wrong for numbers of any type is reported without a
  // variable.
  auto initializer = dyn_cast<train::InitializerAttrInterface>(
      makeStruct(context, name, fields));
  std::string error;
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  if (initializer && failed(initializer.verifyInitializer(
                         [&] { return emitError(UnknownLoc::get(context)); },
                         RankedTensorType::get({}, Float64Type::get(context)))))
    throw nb::value_error(error.c_str());
}

} // namespace flywheel::python
