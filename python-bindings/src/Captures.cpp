//===- Captures.cpp - The values that a traced function has from outside --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"

#include "Digests.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace nb = nanobind;

namespace flywheel::python {

/// Returns true if two objects are one, or numbers of one type with the same
/// bits, texts, or tuples of such: a program may compute an equal one before
/// each call.
static bool areEqual(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a)) {
    double left = PyFloat_AS_DOUBLE(a), right = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&left, &right, sizeof(double)) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    Py_ssize_t count = PyTuple_GET_SIZE(a);
    if (PyTuple_GET_SIZE(b) != count)
      return false;
    for (Py_ssize_t place = 0; place < count; ++place)
      if (!areEqual(PyTuple_GET_ITEM(a, place), PyTuple_GET_ITEM(b, place)))
        return false;
    return true;
  }
  return (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) ||
          PyBytes_CheckExact(a)) &&
         PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

/// Returns true if a dict has these keys, in their order. A class of the user
/// may iterate otherwise.
static bool haveKeys(PyObject *dict, PyObject *keys) {
  Py_ssize_t count = PyTuple_GET_SIZE(keys), position = 0, place = 0;
  if (PyDict_Size(dict) != count)
    return false;
  if (!PyODict_Check(dict)) {
    PyObject *key;
    while (PyDict_Next(dict, &position, &key, nullptr))
      if (place >= count || !areEqual(key, PyTuple_GET_ITEM(keys, place++)))
        return false;
    return true;
  }
  nb::object iterator = nb::steal(PyODict_Type.tp_iter(dict));
  for (; iterator.is_valid() && place < count; ++place) {
    nb::object key = nb::steal(PyIter_Next(iterator.ptr()));
    if (!areEqual(key.ptr(), PyTuple_GET_ITEM(keys, place)))
      return false;
  }
  return iterator.is_valid();
}

static bool haveElements(PyObject *container, PyObject *elements) {
  if (PyDict_Check(container))
    return haveKeys(container, elements);
  Py_ssize_t count = PyTuple_GET_SIZE(elements);
  if (PyList_Check(container)) {
    if (PyList_GET_SIZE(container) != count)
      return false;
    // Nearly always these are the same objects: their addresses are compared
    // at once, without a look at any of them.
    if (!count || std::memcmp(PySequence_Fast_ITEMS(container),
                              PySequence_Fast_ITEMS(elements),
                              count * sizeof(PyObject *)) == 0)
      return true;
    for (Py_ssize_t place = 0; place < count; ++place)
      if (!areEqual(PyList_GET_ITEM(container, place),
                    PyTuple_GET_ITEM(elements, place)))
        return false;
    return true;
  }
  if (PyObject_Size(container) != count)
    return false;
  nb::object iterator = nb::steal(PyObject_GetIter(container));
  for (Py_ssize_t place = 0; iterator.is_valid() && place < count; ++place) {
    nb::object item = nb::steal(PyIter_Next(iterator.ptr()));
    if (!areEqual(item.ptr(), PyTuple_GET_ITEM(elements, place)))
      return false;
  }
  return iterator.is_valid();
}

/// Compares the elements of an array from `data` on, of the dimensions from
/// `dim` on, with `bytes`, which is moved behind them.
static bool hasElements(PyArrayObject *array, llvm::ArrayRef<npy_intp> steps,
                        int dim, const char *data, const char *&bytes) {
  npy_intp itemSize = PyArray_ITEMSIZE(array);
  if (dim == PyArray_NDIM(array)) {
    bool isEqual = std::memcmp(data, bytes, itemSize) == 0;
    bytes += itemSize;
    return isEqual;
  }
  npy_intp stride = PyArray_STRIDE(array, dim);
  for (npy_intp place = 0; place < PyArray_DIM(array, dim); place += steps[dim])
    if (!hasElements(array, steps, dim + 1, data + place * stride, bytes))
      return false;
  return true;
}

/// Returns true if the elements of an array that are `keys` apart in each
/// dimension are `bytes`.
static bool hasBytes(PyObject *array, PyObject *keys, PyObject *bytes) {
  if (!PyArray_Check(array))
    return false;
  auto *typed = reinterpret_cast<PyArrayObject *>(array);
  if (PyTuple_GET_SIZE(keys) != PyArray_NDIM(typed))
    return false;
  llvm::SmallVector<npy_intp, 4> steps;
  npy_intp size = PyArray_ITEMSIZE(typed);
  bool isWhole = true;
  for (int dim = 0; dim < PyArray_NDIM(typed); ++dim) {
    steps.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(keys, dim)));
    if (steps.back() <= 0)
      return false;
    isWhole &= steps.back() == 1;
    size *= llvm::divideCeil(PyArray_DIM(typed, dim), steps.back());
  }
  if (size != PyBytes_GET_SIZE(bytes))
    return false;
  const char *data = PyArray_BYTES(typed), *expected = PyBytes_AS_STRING(bytes);
  if (isWhole && PyArray_IS_C_CONTIGUOUS(typed))
    return std::memcmp(data, expected, size) == 0;
  return hasElements(typed, steps, 0, data, expected);
}

/// Returns true if `digest` is that of the elements of an array.
static bool hasDigest(PyObject *array, PyObject *digest) {
  return PyArray_Check(array) &&
         getDigest(reinterpret_cast<PyArrayObject *>(array)) ==
             PyLong_AsUnsignedLongLongMask(digest);
}

/// Returns true if `count` is the number of attributes in the dict of an
/// object.
static bool hasMembers(PyObject *owner, PyObject *count) {
  nb::object dict = nb::steal(PyObject_GenericGetDict(owner, nullptr));
  if (!dict.is_valid() || !PyDict_Check(dict.ptr()))
    return false;
  Py_ssize_t place = 0, found = 0;
  PyObject *key = nullptr;
  while (PyDict_Next(dict.ptr(), &place, &key, nullptr)) {
    if (!PyUnicode_Check(key) || PyUnicode_GET_LENGTH(key) == 0)
      continue;
    // As `counts_as_member` of _captures/places.py has it.
    Py_UCS4 first = PyUnicode_READ_CHAR(key, 0);
    bool isSpecial = first == '_' && PyUnicode_GET_LENGTH(key) > 1 &&
                     PyUnicode_READ_CHAR(key, 1) == '_';
    found += first != '<' && !isSpecial;
  }
  return found == PyLong_AsSsize_t(count);
}

/// Returns true if an array has a dtype, a flag and sizes. `header` is a tuple
/// of them.
static bool hasHeader(PyObject *array, PyObject *header) {
  if (!PyArray_Check(array))
    return false;
  auto *typed = reinterpret_cast<PyArrayObject *>(array);
  int rank = PyArray_NDIM(typed);
  if (PyTuple_GET_SIZE(header) != rank + 2 ||
      reinterpret_cast<PyObject *>(PyArray_DESCR(typed)) !=
          PyTuple_GET_ITEM(header, 0) ||
      PyArray_ISWRITEABLE(typed) != (PyTuple_GET_ITEM(header, 1) == Py_True))
    return false;
  for (int dim = 0; dim < rank; ++dim)
    if (PyArray_DIM(typed, dim) !=
        PyLong_AsSsize_t(PyTuple_GET_ITEM(header, dim + 2)))
      return false;
  return true;
}

/// Returns true if a function has its code, defaults and defaults of keywords
/// from a tuple of them, which has None for those that it does not have.
static bool hasCode(PyObject *function, PyObject *parts) {
  if (!PyFunction_Check(function))
    return false;
  PyObject *now[] = {PyFunction_GET_CODE(function),
                     PyFunction_GET_DEFAULTS(function),
                     PyFunction_GET_KW_DEFAULTS(function)};
  for (int part = 0; part < 3; ++part)
    if ((now[part] ? now[part] : Py_None) != PyTuple_GET_ITEM(parts, part))
      return false;
  return true;
}

/// Returns true if the value of a place of an object is the one of now. An
/// object that is gone is read by nobody.
static bool holdsMember(const Capture &capture, PyObject *value) {
  auto owner = nb::borrow(PyTuple_Check(capture.holder)
                              ? PyTuple_GET_ITEM(capture.holder, 0)
                              : PyWeakref_GetObject(capture.holder));
  if (owner.is_none())
    return true;
  switch (capture.kind) {
  case PlaceKind::Class:
    return reinterpret_cast<PyObject *>(Py_TYPE(owner.ptr())) == value;
  case PlaceKind::Code:
    return hasCode(owner.ptr(), value);
  case PlaceKind::Bytes:
    return hasBytes(owner.ptr(), capture.key, value);
  case PlaceKind::Digest:
    return hasDigest(owner.ptr(), value);
  case PlaceKind::Header:
    return hasHeader(owner.ptr(), value);
  case PlaceKind::Members:
    return hasMembers(owner.ptr(), value);
  case PlaceKind::Slot: {
    nb::object now =
        nb::steal(PyObject_GenericGetAttr(owner.ptr(), capture.key));
    return areEqual(now.ptr(), value);
  }
  default:
    break;
  }
  nb::object dict = nb::steal(PyObject_GenericGetDict(owner.ptr(), nullptr));
  return dict.is_valid() && PyDict_Check(dict.ptr()) &&
         areEqual(PyDict_GetItemWithError(dict.ptr(), capture.key), value);
}

static bool holds(const Capture &capture) {
  PyObject *holder = capture.holder;
  // A lookup may run Python, such as `__eq__` of a key, which may let go of the
  // value. A weak reference has None for an object that is gone, and a value of
  // now may be None.
  nb::object kept;
  if (capture.value && capture.isWeak)
    kept = nb::borrow(PyWeakref_GetObject(capture.value));
  PyObject *value =
      kept.is_valid() && !kept.is_none() ? kept.ptr() : capture.value;
  switch (capture.kind) {
  case PlaceKind::Item:
    if (PyDict_Check(holder))
      return areEqual(PyDict_GetItemWithError(holder, capture.key), value);
    if (Py_ssize_t place = PyLong_AsSsize_t(capture.key);
        place < PyList_GET_SIZE(holder))
      return areEqual(PyList_GET_ITEM(holder, place), value);
    return !value;
  case PlaceKind::Cell:
    return areEqual(PyCell_GET(holder), value);
  case PlaceKind::Attribute:
  case PlaceKind::Slot:
  case PlaceKind::Class:
  case PlaceKind::Code:
  case PlaceKind::Bytes:
  case PlaceKind::Digest:
  case PlaceKind::Header:
  case PlaceKind::Members:
    return holdsMember(capture, value);
  case PlaceKind::Length:
    return PyObject_Size(holder) == PyLong_AsSsize_t(value);
  case PlaceKind::Elements:
    return haveElements(holder, value);
  case PlaceKind::Result: {
    nb::object now = nb::steal(PyObject_CallNoArgs(holder));
    return areEqual(now.ptr(), value);
  }
  }
  return false;
}

/// Returns true if a holder and a value are of the types that a kind of place
/// has.
static bool isWellFormed(const Capture &capture) {
  if (capture.isWeak && !PyWeakref_Check(capture.value))
    return false;
  PyObject *holder = capture.holder, *value = capture.value;
  bool hasOwner = PyWeakref_Check(holder) ||
                  (PyTuple_Check(holder) && PyTuple_GET_SIZE(holder) == 1);
  switch (capture.kind) {
  case PlaceKind::Item:
    return PyDict_Check(holder) ||
           (PyList_Check(holder) && PyLong_Check(capture.key));
  case PlaceKind::Cell:
    return PyCell_Check(holder);
  case PlaceKind::Code:
    if (!value || !PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 3)
      return false;
    [[fallthrough]];
  case PlaceKind::Attribute:
  case PlaceKind::Slot:
  case PlaceKind::Class:
    return PyUnicode_Check(capture.key) && hasOwner;
  case PlaceKind::Length:
    return value && PyLong_Check(value);
  case PlaceKind::Elements:
    return value && PyTuple_Check(value);
  case PlaceKind::Bytes:
    return value && PyBytes_Check(value) && PyTuple_Check(capture.key) &&
           hasOwner;
  case PlaceKind::Digest:
  case PlaceKind::Members:
    return value && PyLong_Check(value) && hasOwner;
  case PlaceKind::Header:
    return value && PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 1 &&
           hasOwner;
  case PlaceKind::Result:
    return PyCallable_Check(holder);
  }
  return false;
}

std::shared_ptr<const CaptureList> CaptureList::parse(PyObject *list) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "expected a list of captures");
    return nullptr;
  }
  auto made = std::make_shared<CaptureList>();
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(list); ++index) {
    Capture capture{PlaceKind::Item, nullptr, nullptr, nullptr, false};
    int isWeak = 0, kind = 0;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, index), "COO|Op", &kind,
                          &capture.holder, &capture.key, &capture.value,
                          &isWeak))
      return nullptr;
    capture.kind = static_cast<PlaceKind>(kind);
    capture.isWeak = isWeak;
    if (!isWellFormed(capture)) {
      PyErr_SetString(PyExc_TypeError, "expected a kind of place, what has it, "
                                       "a key and a value of it");
      return nullptr;
    }
    Py_INCREF(capture.holder);
    Py_INCREF(capture.key);
    Py_XINCREF(capture.value);
    made->captures.push_back(capture);
  }
  return made;
}

CaptureList::~CaptureList() {
  for (Capture &capture : captures) {
    Py_DECREF(capture.holder);
    Py_DECREF(capture.key);
    Py_XDECREF(capture.value);
  }
}

bool CaptureList::hold() const {
  for (const Capture &capture : captures) {
    // A slot may have no value, as before. Code of the user, such as `__eq__`
    // of a key, may fail.
    bool isHeld = holds(capture) &&
                  (capture.kind == PlaceKind::Slot ||
                   capture.kind == PlaceKind::Result || !PyErr_Occurred());
    PyErr_Clear();
    if (!isHeld)
      return false;
  }
  return true;
}

int CaptureList::traverse(visitproc visit, void *arg) const {
  for (const Capture &capture : captures) {
    Py_VISIT(capture.holder);
    Py_VISIT(capture.key);
    Py_VISIT(capture.value);
  }
  return 0;
}

} // namespace flywheel::python
