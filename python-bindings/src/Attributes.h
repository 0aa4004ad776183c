//===- Attributes.h - From Python values to attributes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_ATTRIBUTES_H
#define FLYWHEEL_PYTHON_ATTRIBUTES_H

#include "Bindings.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"

#include <string>

namespace flywheel::python {

/// A kind of attribute that Python builds.
struct AttributeKind {
  /// The function of Python's `Attribute` that makes one.
  const char *name;
  /// The Python values that have such an attribute, in words.
  const char *expected;
  /// Throws std::bad_cast or a Python TypeError for other values, and a Python
  /// ValueError for one that is out of range.
  mlir::Attribute (*make)(mlir::Builder &builder, nanobind::handle value);
};

/// An attribute that belongs to no context until an op is made with it.
struct PyAttribute {
  const AttributeKind *kind;
  nanobind::object value;
};

/// Builds the attribute `name` of the train dialect, such as "train.sgd" with
/// the fields {"lr": 0.1}. A field that is None has its default. Throws
/// ValueError for a name, a field or a number that is wrong.
mlir::Attribute makeStruct(mlir::MLIRContext *context, const std::string &name,
                           nanobind::dict fields);

/// Throws ValueError for fields that the attribute `name` of the train dialect
/// does not take, such as {"lr": nan} of "train.sgd".
void checkStruct(const std::string &name, nanobind::dict fields);

void addAttributes(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_ATTRIBUTES_H
