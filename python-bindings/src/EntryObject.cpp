//===- EntryObject.cpp - The fast callable of an entry --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step may take a few microseconds, so a call must cost less than one: the
// type is plain CPython with the vectorcall protocol, reads arrays through
// numpy's C API, and allocates nothing but the results.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Bindings.h"
#include "DeviceArrays.h"
#include "Errors.h"
#include "GIL.h"
#include "HostCaller.h"
#include "Literals.h"
#include "Store.h"
#include "Strings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <structmember.h>

namespace nb = nanobind;
using flywheel::runtime::Status;

namespace flywheel::python {
namespace {
/// A dimension of a feed that has the size of a symbol.
struct DimSizeSource {
  unsigned feed = 0, dim = 0;
};

/// The objects that a call of one entry needs and reuses.
struct Caller {
  PySession *session;
  CallPlan *plan;
  /// To a store, or null.
  Binding *binding;
  /// For each symbolic dimension size.
  llvm::SmallVector<DimSizeSource> sources;
  /// Interned names of the feeds.
  llvm::SmallVector<nb::str> feedNames;
};

struct EntryObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  /// The Python object of the session.
  PyObject *owner;
  Caller *caller;
  /// The caller of the functions that the step calls, or null: see HostCaller.
  PyObject *hostFunctions;
};

/// The feeds and results of a call in progress.
struct Call {
  llvm::SmallVector<ArrayView, 8> feeds;
  llvm::SmallVector<MutableArrayView, 4> results;
  /// New references.
  llvm::SmallVector<PyObject *, 4> resultArrays;
  /// Arrays of feeds, also those of Python numbers; new references.
  llvm::SmallVector<PyObject *, 8> dense;
  /// The strings that feeds of strings are views of.
  std::vector<std::unique_ptr<Strings>> feedStrings;
  /// Arrays on a GPU, which feeds and results are views of.
  std::vector<std::unique_ptr<DeviceView>> onGPU;
  /// At the number of a result of strings, where its views are written, and
  /// their copies. Empty where no result has strings.
  std::vector<std::vector<std::string_view>> resultViews;
  std::vector<std::vector<std::string>> resultTexts;

  ~Call() {
    for (PyObject *array : resultArrays)
      Py_XDECREF(array);
    for (PyObject *array : dense)
      Py_DECREF(array);
  }
};
} // namespace

/// A dimension size other than 0 and no data: not fed.
static constexpr int64_t absentShape[] = {-1};

/// Reads an array that is on a GPU; null with a Python error for one that the
/// call cannot take.
static DeviceView *readOnGPU(const Caller &caller, const std::string &what,
                             PyObject *value, Call &call) {
  if (!caller.plan->isOnGPU()) {
    raise(ErrorKind::InvalidArgument,
          what +
              " is on a GPU, and the program is for the CPU: compile it with "
              "target=\"cuda\"");
    return nullptr;
  }
  std::unique_ptr<DeviceView> view;
  try {
    view = readDeviceArray(value, what);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_Format(PyExc_ValueError, "%s: its description of where it is: %s",
                 what.c_str(), error.what());
  }
  if (!view)
    return nullptr;
  call.onGPU.push_back(std::move(view));
  return call.onGPU.back().get();
}

/// Returns true if `value` is on a GPU; false with a Python error if asking
/// fails.
static bool checkIsOnGPU(PyObject *value) {
  try {
    return isOnGPU(value);
  } catch (nb::python_error &error) {
    error.restore();
    return false;
  }
}

static bool readFeed(const Caller &caller, const ArgumentSpec &spec,
                     PyObject *value, ArrayView &view, Call &call) {
  if (spec.dtype == runtime::DType::String && mayHoldStrings(value)) {
    auto strings = std::make_unique<Strings>();
    if (!readStrings(value, "placeholder '" + spec.name + "'", *strings))
      return false;
    view = strings->view();
    call.feedStrings.push_back(std::move(strings));
    return true;
  }
  if (!PyArray_Check(value) && isLiteral(value) &&
      spec.dtype != runtime::DType::String) {
    value =
        makeLiteralArray(value, spec.dtype, "placeholder '" + spec.name + "'");
    if (!value)
      return false;
    call.dense.push_back(value);
  }
  if (!PyArray_Check(value) && checkIsOnGPU(value)) {
    DeviceView *found = readOnGPU(
        caller, "the array for placeholder '" + spec.name + "'", value, call);
    if (found)
      view = {found->dtype, found->shape, found->data};
    return found;
  }
  if (PyErr_Occurred())
    return false;
  if (!PyArray_Check(value)) {
    PyErr_Format(PyExc_TypeError,
                 "placeholder '%s' takes a numpy array, found %s; convert it "
                 "with numpy.asarray(value, dtype=numpy.%s)",
                 spec.name.c_str(), Py_TYPE(value)->tp_name,
                 std::string(runtime::numpyName(spec.dtype)).c_str());
    return false;
  }
  auto *array = reinterpret_cast<PyArrayObject *>(value);
  std::optional<runtime::DType> dtype = getArrayDType(array, spec.dtype);
  if (dtype != spec.dtype) {
    raise(ErrorKind::InvalidArgument,
          "Cannot feed value of dtype " + getDTypeText(array) +
              " for placeholder '" + spec.name + "', which has dtype " +
              std::string(runtime::numpyName(spec.dtype)));
    return false;
  }
  PyObject *dense =
      makeDense(array, spec.dtype, "placeholder '" + spec.name + "'");
  if (!dense)
    return false;
  call.dense.push_back(dense);
  array = reinterpret_cast<PyArrayObject *>(dense);
  view = {*dtype, getShape(array), PyArray_DATA(array)};
  return true;
}

/// Puts each argument where its feed is; `out` gets the keyword of that name.
static bool readArguments(Caller &caller, PyObject *const *args, size_t count,
                          PyObject *names, Call &call, PyObject *&out) {
  const EntrySpec &entry = caller.plan->getEntry();
  if (count > entry.feeds.size()) {
    PyErr_Format(PyExc_TypeError, "entry '%s' takes %zu feeds, found %zu",
                 entry.manifest->name.c_str(), entry.feeds.size(), count);
    return false;
  }
  call.feeds.resize(entry.feeds.size());
  for (size_t index = 0; index < count; ++index)
    if (!readFeed(caller, entry.feeds[index], args[index], call.feeds[index],
                  call))
      return false;
  for (size_t index = count; index < entry.feeds.size(); ++index)
    call.feeds[index] = {entry.feeds[index].dtype, absentShape, nullptr};
  size_t numNames = names ? PyTuple_GET_SIZE(names) : 0;
  for (size_t position = 0; position < numNames; ++position) {
    PyObject *name = PyTuple_GET_ITEM(names, position);
    PyObject *value = args[count + position];
    auto *found = llvm::find_if(caller.feedNames, [&](const nb::str &known) {
      return known.ptr() == name || PyUnicode_Compare(known.ptr(), name) == 0;
    });
    if (found == caller.feedNames.end()) {
      if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
        out = value == Py_None ? nullptr : value;
        continue;
      }
      std::string known;
      for (const ArgumentSpec &spec : entry.feeds)
        known += (known.empty() ? "'" : ", '") + spec.name + "'";
      PyErr_Format(PyExc_TypeError,
                   "entry '%s' has no placeholder '%U'; it has %s",
                   entry.manifest->name.c_str(), name,
                   known.empty() ? "none" : known.c_str());
      return false;
    }
    size_t index = found - caller.feedNames.begin();
    if (index < count) {
      PyErr_Format(PyExc_TypeError, "placeholder '%U' is fed twice", name);
      return false;
    }
    if (!readFeed(caller, entry.feeds[index], value, call.feeds[index], call))
      return false;
  }
  return true;
}

/// Computes the shape of a result. Returns false if a feed that it depends on
/// has another rank than the entry wants, which the call reports.
static bool inferShape(const Caller &caller, const Call &call,
                       const ArgumentSpec &spec,
                       llvm::SmallVectorImpl<int64_t> &shape) {
  for (int64_t dimSize : spec.dimSizes) {
    if (dimSize < 0) {
      DimSizeSource source = caller.sources[-1 - dimSize];
      const ArrayView &feed = call.feeds[source.feed];
      if (!feed.data || feed.shape.size() <= source.dim)
        return false;
      dimSize = feed.shape[source.dim];
    }
    shape.push_back(dimSize);
  }
  return true;
}

/// Makes `array`, of the dtype of `spec`, the next result's destination.
static void addResult(const ArgumentSpec &spec, PyObject *array, Call &call) {
  auto *typed = reinterpret_cast<PyArrayObject *>(array);
  MutableArrayView view{spec.dtype, getShape(typed), PyArray_DATA(typed)};
  if (spec.dtype == runtime::DType::String) {
    call.resultViews.resize(call.results.size() + 1);
    std::vector<std::string_view> &views = call.resultViews.back();
    views.resize(PyArray_SIZE(typed));
    view.data = views.data();
  }
  call.results.push_back(view);
}

static bool makeResults(const Caller &caller, Call &call) {
  const EntrySpec &entry = caller.plan->getEntry();
  for (const ArgumentSpec &spec : entry.results) {
    llvm::SmallVector<int64_t, 8> shape;
    if (!inferShape(caller, call, spec, shape))
      shape.assign(spec.dimSizes.size(), 0);
    PyObject *array = makeArray(spec.dtype, shape);
    if (!array)
      return false;
    call.resultArrays.push_back(array);
    addResult(spec, array, call);
  }
  return true;
}

static size_t getBytes(runtime::DType dtype, llvm::ArrayRef<int64_t> shape) {
  size_t bytes = runtime::dtypeSize(dtype);
  for (int64_t dimSize : shape)
    bytes *= dimSize;
  return bytes;
}

template <typename View>
static bool overlap(const MutableArrayView &result, const View &other) {
  if (!other.data)
    return false;
  auto begin = reinterpret_cast<uintptr_t>(result.data);
  auto otherBegin = reinterpret_cast<uintptr_t>(other.data);
  return begin < otherBegin + getBytes(other.dtype, other.shape) &&
         otherBegin < begin + getBytes(result.dtype, result.shape);
}

/// Writes through `value` must not change what the call still reads.
static bool checkOverlap(const Call &call, const MutableArrayView &result,
                         const ArgumentSpec &spec) {
  bool aliases = llvm::any_of(call.feeds,
                              [&](const ArrayView &feed) {
                                return overlap(result, feed);
                              }) ||
                 llvm::any_of(call.results, [&](const MutableArrayView &other) {
                   return overlap(result, other);
                 });
  if (aliases)
    raise(ErrorKind::InvalidArgument, "the buffer for result '" + spec.name +
                                          "' overlaps a feed or another "
                                          "result");
  return !aliases;
}

static bool takeResult(const Caller &caller, const ArgumentSpec &spec,
                       PyObject *value, Call &call) {
  if (!PyArray_Check(value) && checkIsOnGPU(value)) {
    std::string what = "the buffer for result '" + spec.name + "'";
    DeviceView *found = readOnGPU(caller, what, value, call);
    if (!found)
      return false;
    if (found->isReadOnly) {
      raise(ErrorKind::InvalidArgument, what + " must be writeable");
      return false;
    }
    MutableArrayView view{found->dtype, found->shape, found->data};
    if (!checkOverlap(call, view, spec))
      return false;
    Py_INCREF(value);
    call.resultArrays.push_back(value);
    call.results.push_back(view);
    return true;
  }
  if (PyErr_Occurred())
    return false;
  if (!PyArray_Check(value)) {
    PyErr_Format(PyExc_TypeError,
                 "expected a numpy array for result '%s', found %s",
                 spec.name.c_str(), Py_TYPE(value)->tp_name);
    return false;
  }
  auto *array = reinterpret_cast<PyArrayObject *>(value);
  if (!isDense(array) || !PyArray_ISWRITEABLE(array)) {
    raise(ErrorKind::InvalidArgument,
          "the buffer for result '" + spec.name +
              "' must be writeable, C-contiguous, aligned and of native byte "
              "order");
    return false;
  }
  std::optional<runtime::DType> dtype = getArrayDType(array, spec.dtype);
  if (!dtype) {
    raise(ErrorKind::InvalidArgument,
          "expected a buffer of dtype " +
              std::string(runtime::numpyName(spec.dtype)) + " for result '" +
              spec.name + "', found dtype " + getDTypeText(array));
    return false;
  }
  MutableArrayView view{*dtype, getShape(array), PyArray_DATA(array)};
  if (!checkOverlap(call, view, spec))
    return false;
  Py_INCREF(value);
  call.resultArrays.push_back(value);
  if (dtype == spec.dtype)
    addResult(spec, value, call);
  else
    call.results.push_back(view); // The call refuses it.
  return true;
}

/// `out` is the array of the one result, or a tuple with one for each.
static bool takeResults(const Caller &caller, PyObject *out, Call &call) {
  const EntrySpec &entry = caller.plan->getEntry();
  if (!PyTuple_Check(out)) {
    if (entry.results.size() == 1)
      return takeResult(caller, entry.results[0], out, call);
    PyErr_Format(PyExc_TypeError,
                 "entry '%s' has %zu results: out must be a tuple of as many "
                 "arrays, found %s",
                 entry.manifest->name.c_str(), entry.results.size(),
                 Py_TYPE(out)->tp_name);
    return false;
  }
  if (static_cast<size_t>(PyTuple_GET_SIZE(out)) != entry.results.size()) {
    PyErr_Format(PyExc_TypeError,
                 "entry '%s' has %zu results, found %zd buffers",
                 entry.manifest->name.c_str(), entry.results.size(),
                 PyTuple_GET_SIZE(out));
    return false;
  }
  for (auto [index, spec] : llvm::enumerate(entry.results))
    if (!takeResult(caller, spec, PyTuple_GET_ITEM(out, index), call))
      return false;
  return true;
}

/// Copies the strings of results, which hold as long as the lock.
static void copyStringResults(Call &call) {
  for (size_t index = 0; index < call.resultViews.size(); ++index)
    call.resultTexts.emplace_back(call.resultViews[index].begin(),
                                  call.resultViews[index].end());
}

static bool fillStringResults(Call &call) {
  for (size_t index = 0; index < call.resultTexts.size(); ++index)
    if (call.results[index].dtype == runtime::DType::String &&
        !fillStrings(
            reinterpret_cast<PyArrayObject *>(call.resultArrays[index]),
            call.resultTexts[index]))
      return false;
  return true;
}

/// None, the result, or a tuple of the results.
static PyObject *returnResults(Call &call) {
  if (call.resultArrays.empty())
    Py_RETURN_NONE;
  if (call.resultArrays.size() == 1)
    return std::exchange(call.resultArrays[0], nullptr);
  PyObject *tuple = PyTuple_New(call.resultArrays.size());
  if (!tuple)
    return nullptr;
  for (auto [index, array] : llvm::enumerate(call.resultArrays))
    PyTuple_SET_ITEM(tuple, index, std::exchange(array, nullptr));
  return tuple;
}

PyObject *callEntry(PyObject *self, PyObject *const *args, size_t nargsf,
                    PyObject *names) {
  Caller &caller = *reinterpret_cast<EntryObject *>(self)->caller;
  Call call;
  PyObject *out = nullptr;
  if (!readArguments(caller, args, PyVectorcall_NARGS(nargsf), names, call,
                     out))
    return nullptr;
  if (out ? !takeResults(caller, out, call) : !makeResults(caller, call))
    return nullptr;
  Status status;
  HostCaller hosts(reinterpret_cast<EntryObject *>(self)->hostFunctions,
                   *caller.session->mutex);
  try {
    ObjectLock lock(*caller.session->mutex);
    hosts.giveUpGIL();
    if (caller.binding)
      status = caller.binding->activate();
    if (status.isOk()) {
      runtime::HostFunctionsScope scope(hosts.getFunctions());
      status = caller.plan->call(call.feeds, call.results);
    }
    hosts.takeGIL();
    if (status.isOk())
      copyStringResults(call);
  } catch (const std::runtime_error &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  // An error that a function raised is the reason why the step failed.
  if (hosts.restoreError())
    return nullptr;
  if (!status.isOk()) {
    raise(status);
    return nullptr;
  }
  if (!fillStringResults(call))
    return nullptr;
  return returnResults(call);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static int traverseEntry(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<EntryObject *>(self)->owner);
  Py_VISIT(reinterpret_cast<EntryObject *>(self)->hostFunctions);
  return 0;
}

static int clearEntry(PyObject *self) {
  Py_CLEAR(reinterpret_cast<EntryObject *>(self)->owner);
  Py_CLEAR(reinterpret_cast<EntryObject *>(self)->hostFunctions);
  return 0;
}

static void deleteEntry(PyObject *self) {
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<EntryObject *>(self)->caller;
  clearEntry(self);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyObject *printEntry(PyObject *self) {
  const EntrySpec &entry =
      reinterpret_cast<EntryObject *>(self)->caller->plan->getEntry();
  auto list = [](const std::vector<ArgumentSpec> &specs) {
    std::string text;
    for (const ArgumentSpec &spec : specs)
      text += (text.empty() ? "" : ", ") + spec.name + ": " +
              std::string(runtime::numpyName(spec.dtype)) + spec.shapeText;
    return text;
  };
  return PyUnicode_FromFormat(
      "<flywheel.Entry %s(%s) -> (%s)>", entry.manifest->name.c_str(),
      list(entry.feeds).c_str(), list(entry.results).c_str());
}

static PyTypeObject *entryType = nullptr;

static constexpr const char kEntryDoc[] =
    "One entry of one session, ready to be called.\n\n"
    "Called with a numpy array for each feed, by position or by the feed's "
    "name, of the feed's dtype\nand shape; no number is converted. Arrays that "
    "are C-contiguous, aligned and of native byte\norder are read where they "
    "lie, others are copied first. Python "
    "numbers, NumPy scalars and nested lists of them become arrays of\nthe "
    "feed's dtype, where it has the numbers: a Python float is rounded to a "
    "floating-point type,\nnothing else is. Strings come as str, bytes, "
    "lists or arrays of object, S or U, and are returned as arrays\nof str. "
    "`out=` takes the array, or the tuple of arrays, to write the results\nto; "
    "by default they are new. For a program on a GPU both may be arrays there, "
    "with __cuda_array_interface__ or\n__dlpack__, which are not copied. "
    "Returns "
    "None, the array of the only result, or a "
    "tuple. The\ninterpreter lock is released while the entry runs.\n\n"
    "Raises TypeError for a value that is not an array, a name that is not a "
    "feed, and a number that the dtype does not have; InvalidArgumentError "
    "for "
    "a missing feed,\nanother dtype or shape, and for what the entry checks (a "
    "label out of range);\nFailedPreconditionError for a variable without a "
    "value. Nothing has changed then.";

void addEntryType(nb::module_ &module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(EntryObject, vectorcall), READONLY,
                                   nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>(kEntryDoc)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseEntry)},
      {Py_tp_clear, reinterpret_cast<void *>(clearEntry)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deleteEntry)},
      {Py_tp_repr, reinterpret_cast<void *>(printEntry)},
      {0, nullptr}};
  static PyType_Spec spec = {"flywheel.Entry", sizeof(EntryObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  entryType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!entryType)
    throw nb::python_error();
  module.attr("Entry") = nb::borrow(reinterpret_cast<PyObject *>(entryType));
  module.def(
      "_set_host_functions",
      [](nb::handle entry, nb::object function) {
        if (Py_TYPE(entry.ptr()) != entryType)
          throw nb::type_error("expected an entry");
        Py_XSETREF(reinterpret_cast<EntryObject *>(entry.ptr())->hostFunctions,
                   function.release().ptr());
      },
      nb::arg("entry"), nb::arg("function"),
      "Lets the train.host_call ops of an entry call function(site, arrays), "
      "which returns a list of arrays.");
}

const std::vector<ArgumentSpec> *getFeeds(PyObject *entry) {
  if (Py_TYPE(entry) != entryType)
    return nullptr;
  return &reinterpret_cast<EntryObject *>(entry)
              ->caller->plan->getEntry()
              .feeds;
}

PyObject *makeEntry(nb::handle owner, PySession &session, CallPlan &plan,
                    Binding *binding) {
  auto caller = std::make_unique<Caller>();
  caller->binding = binding;
  caller->session = &session;
  caller->plan = &plan;
  const EntrySpec &entry = plan.getEntry();
  caller->sources.resize(entry.manifest->symbols.size());
  for (auto [feed, spec] : llvm::enumerate(entry.feeds)) {
    PyObject *name = PyUnicode_InternFromString(spec.name.c_str());
    if (!name)
      return nullptr;
    caller->feedNames.push_back(nb::steal<nb::str>(name));
    for (auto [dim, dimSize] : llvm::enumerate(spec.dimSizes))
      if (dimSize < 0)
        caller->sources[-1 - dimSize] = {static_cast<unsigned>(feed),
                                         static_cast<unsigned>(dim)};
  }
  PyObject *self = entryType->tp_alloc(entryType, 0);
  if (!self)
    return nullptr;
  auto *object = reinterpret_cast<EntryObject *>(self);
  object->vectorcall = callEntry;
  object->owner = nb::handle(owner).inc_ref().ptr();
  object->caller = caller.release();
  object->hostFunctions = nullptr;
  return self;
}

} // namespace flywheel::python
