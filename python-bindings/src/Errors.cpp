//===- Errors.cpp - From statuses to Python exceptions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <cstring>

namespace nb = nanobind;
using flywheel::runtime::Status;
using flywheel::runtime::StatusCode;

namespace flywheel::python {

/// Indexed by ErrorKind; owned by the module for the life of the process.
static PyObject *classes[5];

/// Likewise, of warnings and remarks.
static PyObject *warningClass, *remarkClass;

static PyObject *addClass(nb::module_ &module, const char *name, PyObject *base,
                          const char *doc) {
  std::string qualified = std::string("flywheel.") + name;
  PyObject *type =
      PyErr_NewExceptionWithDoc(qualified.c_str(), doc, base, nullptr);
  if (!type)
    throw nb::python_error();
  module.attr(name) = nb::borrow(type);
  return type;
}

static void addError(nb::module_ &module, ErrorKind kind, const char *name,
                     PyObject *base, const char *doc) {
  classes[static_cast<int>(kind)] = addClass(module, name, base, doc);
}

void addErrors(nb::module_ &module) {
  addError(module, ErrorKind::Compile, "CompileError", PyExc_ValueError,
           "A model is not well formed or cannot be compiled. The message has "
           "every error, each with its location; `details` has (code, "
           "numbers) of those that a program can act upon.");
  nb::object compileError =
      nb::borrow(classes[static_cast<int>(ErrorKind::Compile)]);
  compileError.attr("details") = nb::make_tuple();
  compileError.attr("parts") = nb::none();
  compileError.attr("operand") = nb::none();
  compileError.attr("op") = "";
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
  warningClass = addClass(module, "CompileWarning", PyExc_UserWarning,
                          "What the compiler warns of.");
  remarkClass =
      addClass(module, "CompileRemark", warningClass,
               "What the compiler remarks, such as a copy that a step needs.");
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

/// Returns the name of an error that has details.
static const char *getName(ErrorCode code) {
  switch (code) {
  case ErrorCode::UnknownResultSize:
    return "unknown-result-size";
  }
  return "";
}

CompileErrors takeErrors(const DiagnosticCollector &diagnostics,
                         const char *otherwise) {
  const DiagnosticText *first = diagnostics.getFirstError();
  return {first ? diagnostics.getErrors() : otherwise, diagnostics.getDetails(),
          first ? std::optional(*first) : std::nullopt};
}

/// Converts text that may have bytes of a path in it.
static nb::object makeText(llvm::StringRef text) {
  PyObject *made = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

/// Gives an error the parts of its text.
static void setParts(nb::handle error, llvm::StringRef text,
                     const DiagnosticText &first) {
  auto [begin, size] = std::pair(first.messageBegin, first.messageSize);
  error.attr("parts") = nb::make_tuple(makeText(text.take_front(begin)),
                                       makeText(text.substr(begin, size)),
                                       makeText(text.drop_front(begin + size)));
  error.attr("op") = makeText(first.opName);
  if (first.operand)
    error.attr("operand") = nb::make_tuple(makeText(first.operand->expected),
                                           makeText(first.operand->found));
}

void throwCompileError(const CompileErrors &errors) {
  std::string text = errors.text;
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  setError(classes[static_cast<int>(ErrorKind::Compile)], text);
  nb::python_error error;
  nb::list all;
  for (const ErrorDetail &detail : errors.details) {
    nb::list numbers;
    for (int64_t number : detail.numbers)
      numbers.append(number);
    all.append(nb::make_tuple(getName(detail.code), nb::tuple(numbers)));
  }
  nb::object value = nb::borrow(error.value());
  value.attr("details") = nb::tuple(all);
  if (errors.first)
    setParts(value, text, *errors.first);
  error.restore();
  throw nb::python_error();
}

void throwCompileError(std::string text) {
  throwCompileError(CompileErrors{std::move(text), {}, std::nullopt});
}

bool isRaised(ErrorKind kind) {
  return PyErr_ExceptionMatches(classes[static_cast<int>(kind)]);
}

bool isRaisedOfData() {
  if (!isRaised(ErrorKind::InvalidArgument))
    return false;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  bool isOfData = value && PyObject_HasAttrString(value, "_is_of_data");
  PyErr_Restore(type, value, trace);
  return isOfData;
}

/// Returns the number of frames to the innermost one outside of this package,
/// as the stack level of a warning.
static Py_ssize_t findUserLevel() {
  Py_ssize_t level = 1;
  nb::object frame =
      nb::borrow(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
  for (; frame.ptr() && !frame.is_none(); ++level) {
    nb::object name = frame.attr("f_globals").attr("get")("__name__");
    // This package, and what is in it.
    const char *text =
        nb::isinstance<nb::str>(name) ? PyUnicode_AsUTF8(name.ptr()) : "";
    if (std::strncmp(text, "flywheel", 8) != 0 ||
        (text[8] != '\0' && text[8] != '.'))
      break;
    frame = frame.attr("f_back");
  }
  return level;
}

bool raiseWarning(bool isRemark, const std::string &message) {
  PyObject *text = PyUnicode_DecodeUTF8(message.data(),
                                        static_cast<Py_ssize_t>(message.size()),
                                        "backslashreplace");
  if (!text)
    return false;
  int status = PyErr_WarnFormat(isRemark ? remarkClass : warningClass,
                                findUserLevel(), "%U", text);
  Py_DECREF(text);
  return status == 0;
}

void warn(const std::vector<DiagnosticText> &warnings, bool hasFailed) {
  for (const DiagnosticText &warning : warnings) {
    bool isRemark = warning.severity == mlir::DiagnosticSeverity::Remark;
    if (raiseWarning(isRemark, warning.text))
      continue;
    if (!hasFailed)
      throw nb::python_error();
    PyErr_Clear();
  }
}

void raise(ErrorKind kind, const std::string &message) {
  setError(classes[static_cast<int>(kind)], message);
}

/// Gives the Python error that is set the attribute `_is_of_data`.
static void markOfData() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  bool isMarked = PyObject_SetAttrString(value, "_is_of_data", Py_True) == 0;
  if (!isMarked)
    PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

void raise(const Status &status) {
  switch (status.code()) {
  case StatusCode::kOk:
    break;
  case StatusCode::kInvalidArgument:
    raise(ErrorKind::InvalidArgument, status.message());
    if (status.isOfData())
      markOfData();
    return;
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
