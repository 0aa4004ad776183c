//===- Errors.cpp - From statuses to Python exceptions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

namespace nb = nanobind;
using flywheel::runtime::Status;
using flywheel::runtime::StatusCode;

namespace flywheel::python {

/// Indexed by ErrorKind; owned by the module for the life of the process.
static PyObject *classes[5];

static void addError(nb::module_ &module, ErrorKind kind, const char *name,
                     PyObject *base, const char *doc) {
  std::string qualified = std::string("flywheel.") + name;
  PyObject *type =
      PyErr_NewExceptionWithDoc(qualified.c_str(), doc, base, nullptr);
  if (!type)
    throw nb::python_error();
  classes[static_cast<int>(kind)] = type;
  module.attr(name) = nb::borrow(type);
}

void addErrors(nb::module_ &module) {
  addError(module, ErrorKind::Compile, "CompileError", PyExc_ValueError,
           "A model is not well formed or cannot be compiled. The message has "
           "every diagnostic, each with its location.");
  addError(module, ErrorKind::InvalidArgument, "InvalidArgumentError",
           PyExc_ValueError,
           "A feed, a result buffer or a value does not fit, or the step "
           "refused it. Nothing has changed.");
  addError(module, ErrorKind::FailedPrecondition, "FailedPreconditionError",
           PyExc_RuntimeError,
           "A variable that is needed has no value yet. Nothing has changed.");
  addError(module, ErrorKind::NotFound, "NotFoundError", PyExc_LookupError,
           "No entry, variable, checkpoint or key of that name.");
  addError(module, ErrorKind::DataLoss, "DataLossError", PyExc_ValueError,
           "A checkpoint exists but its contents are damaged.");
}

/// Sets the Python error. A message may have a path in it, whose bytes need not
/// be UTF-8.
static void setError(PyObject *type, const std::string &message) {
  PyObject *text = PyUnicode_DecodeUTF8(message.data(),
                                        static_cast<Py_ssize_t>(message.size()),
                                        "backslashreplace");
  if (!text)
    return;
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

void raise(ErrorKind kind, const std::string &message) {
  setError(classes[static_cast<int>(kind)], message);
}

void raise(const Status &status) {
  switch (status.code()) {
  case StatusCode::kOk:
    break;
  case StatusCode::kInvalidArgument:
    return raise(ErrorKind::InvalidArgument, status.message());
  case StatusCode::kFailedPrecondition:
    return raise(ErrorKind::FailedPrecondition, status.message());
  case StatusCode::kNotFound:
    return raise(ErrorKind::NotFound, status.message());
  case StatusCode::kDataLoss:
    return raise(ErrorKind::DataLoss, status.message());
  case StatusCode::kResourceExhausted:
    return setError(PyExc_MemoryError, status.message());
  case StatusCode::kIOError:
    return setError(PyExc_OSError, status.message());
  }
  PyErr_SetString(PyExc_SystemError, "an error without a class");
}

void check(const Status &status) {
  if (status.isOk())
    return;
  raise(status);
  throw nb::python_error();
}

} // namespace flywheel::python
