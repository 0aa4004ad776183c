//===- DeviceArrays.cpp - Arrays that are on a GPU ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"

#include "Arguments.h"
#include "Arrays.h"
#include "Errors.h"

#include "flywheel/Runtime/GPUMemory.h"

namespace nb = nanobind;
using flywheel::runtime::DType;

namespace flywheel::python {
namespace {
/// The tensor that a capsule of `__dlpack__` holds (DLPack's binary interface,
/// version 0.6 and later).
struct DLPackTensor {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
};

/// Kinds of devices there, and of numbers.
enum DLPackDevice { kCUDA = 2, kCUDAManaged = 13 };
enum DLPackCode { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kBool = 6 };
} // namespace

static std::optional<DType> getDType(const DLPackTensor &tensor) {
  if (tensor.lanes != 1)
    return {};
  switch (tensor.code) {
  case kBool:
    return tensor.bits == 8 ? std::optional(DType::Bool) : std::nullopt;
  case kBFloat:
    return tensor.bits == 16 ? std::optional(DType::BF16) : std::nullopt;
  default:
    break;
  }
  const char *kind = tensor.code == kInt     ? "int"
                     : tensor.code == kUInt  ? "uint"
                     : tensor.code == kFloat ? "float"
                                             : "";
  return runtime::dtypeFromNumpyName(kind + std::to_string(tensor.bits));
}

bool isOnGPU(PyObject *value) {
  nb::handle object(value);
  if (nb::hasattr(object, "__cuda_array_interface__"))
    return true;
  if (!nb::hasattr(object, "__dlpack_device__"))
    return false;
  nb::object device = object.attr("__dlpack_device__")();
  int type = nb::cast<int>(nb::int_(device[0]));
  return type == kCUDA || type == kCUDAManaged;
}

/// Returns true if strides, in elements or bytes of `unit`, are those of a
/// dense array.
template <typename GetStride>
static bool areDense(const std::vector<int64_t> &shape, int64_t unit,
                     GetStride &&getStride) {
  int64_t expected = unit;
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] != 1 && getStride(dim) != expected)
      return llvm::is_contained(shape, 0);
    expected *= shape[dim];
  }
  return true;
}

/// By the interface of numba, which says what stream it is to be used after.
static bool readInterface(nb::object record, DeviceView &view,
                          const std::string &what) {
  nb::object dtype =
      nb::module_::import_("numpy").attr("dtype")(record["typestr"]);
  std::string name = nb::cast<std::string>(nb::str(dtype));
  std::optional<DType> known = runtime::dtypeFromNumpyName(name);
  if (!known) {
    raise(ErrorKind::InvalidArgument, what + " has no values of dtype " + name);
    return false;
  }
  view.dtype = *known;
  for (nb::handle size : record["shape"])
    view.shape.push_back(nb::cast<int64_t>(size));
  nb::object data = record["data"];
  view.data = reinterpret_cast<void *>(nb::cast<uintptr_t>(data[0]));
  view.isReadOnly = nb::cast<bool>(data[1]);
  auto get = [&](const char *key) -> nb::object {
    return record.attr("get")(key);
  };
  if (nb::object strides = get("strides"); !strides.is_none()) {
    auto unit = static_cast<int64_t>(runtime::dtypeSize(*known));
    if (!areDense(view.shape, unit, [&](size_t dim) {
          return nb::cast<int64_t>(strides[dim]);
        })) {
      raise(ErrorKind::InvalidArgument, what + " must be C-contiguous");
      return false;
    }
  }
  // 1 is the default stream, which steps wait for; 2 that of each thread.
  nb::object stream = get("stream");
  if (!stream.is_none() && nb::cast<uintptr_t>(stream) != 1)
    check(runtime::synchronizeGPU(nb::cast<uintptr_t>(stream)));
  return true;
}

static bool readDLPack(nb::handle object, DeviceView &view,
                       const std::string &what) {
  // 1 is the default stream, which steps wait for.
  nb::object capsule = object.attr("__dlpack__")(nb::arg("stream") = 1);
  auto *tensor = static_cast<DLPackTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!tensor)
    throw nb::python_error();
  std::optional<DType> known = getDType(*tensor);
  if (!known) {
    raise(ErrorKind::InvalidArgument,
          what + " has no values of that dtype: code " +
              std::to_string(tensor->code) + ", " +
              std::to_string(tensor->bits) + " bits");
    return false;
  }
  view.dtype = *known;
  view.shape.assign(tensor->shape, tensor->shape + tensor->rank);
  view.data = static_cast<char *>(tensor->data) + tensor->offset;
  if (tensor->strides && !areDense(view.shape, 1, [&](size_t dim) {
        return tensor->strides[dim];
      })) {
    raise(ErrorKind::InvalidArgument, what + " must be C-contiguous");
    return false;
  }
  // Nobody takes the tensor: the capsule frees it.
  view.keeper = std::move(capsule);
  return true;
}

std::unique_ptr<DeviceView> readDeviceArray(PyObject *value,
                                            const std::string &what) {
  auto view = std::make_unique<DeviceView>();
  nb::handle object(value);
  view->keeper = nb::borrow(object);
  bool isRead =
      nb::hasattr(object, "__cuda_array_interface__")
          ? readInterface(object.attr("__cuda_array_interface__"), *view, what)
          : readDLPack(object, *view, what);
  return isRead ? std::move(view) : nullptr;
}

//===----------------------------------------------------------------------===//
// Arrays of our own
//===----------------------------------------------------------------------===//

namespace {
/// An array on the device, for feeds and results that stay there.
class DeviceArray {
public:
  DeviceArray(std::vector<int64_t> shape, DType dtype)
      : shape(std::move(shape)), dtype(dtype) {
    bytes = runtime::dtypeSize(dtype);
    for (int64_t size : this->shape) {
      if (size < 0)
        throw nb::value_error("expected dimension sizes of at least 0");
      bytes *= static_cast<size_t>(size);
    }
    data = take(runtime::allocateOnGPU(bytes));
  }
  ~DeviceArray() { runtime::freeOnGPU(data); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  nb::object toHost() const {
    nb::object array = nb::steal(makeArray(dtype, shape));
    if (!array.is_valid())
      throw nb::python_error();
    check(runtime::copyFromGPU(
        PyArray_DATA(reinterpret_cast<PyArrayObject *>(array.ptr())), data,
        bytes));
    return array;
  }

  void set(nb::handle value) {
    nb::object array =
        nb::steal(makeDenseCopy(value.ptr(), dtype, "an array on the device"));
    if (!array.is_valid())
      throw nb::python_error();
    auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
    if (getShape(typed) != llvm::ArrayRef<int64_t>(shape))
      throw nb::value_error("expected a value of the array's shape");
    check(runtime::copyToGPU(data, PyArray_DATA(typed), bytes));
  }

  nb::object getShapeTuple() const {
    nb::list sizes;
    for (int64_t size : shape)
      sizes.append(size);
    return nb::tuple(sizes);
  }
  nb::object getDTypeObject() const { return nb::steal(makeDType(dtype)); }

  nb::dict getInterface() const {
    nb::dict record;
    record["shape"] = getShapeTuple();
    record["typestr"] = getDTypeObject().attr("str");
    record["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(data), false);
    record["version"] = 3;
    record["strides"] = nb::none();
    record["stream"] = nb::none();
    return record;
  }

private:
  std::vector<int64_t> shape;
  DType dtype;
  size_t bytes = 0;
  void *data = nullptr;
};
} // namespace

void addDeviceArrayType(nb::module_ &module) {
  nb::class_<DeviceArray>(
      module, "DeviceArray",
      "An array on the GPU, of any content at first.\n\nWhat is fed with one "
      "is "
      "not copied, and a result whose `out=` it is stays there. It has "
      "`__cuda_array_interface__`,\nas arrays of cupy, numba and torch do, "
      "which "
      "are taken in the same places.\n\nRaises FailedPreconditionError without "
      "a "
      "GPU, InvalidArgumentError for a dtype that there\nis not, and "
      "MemoryError "
      "without memory.")
      .def(
          "__init__",
          [](DeviceArray *self, nb::sequence shape, nb::handle dtype) {
            std::vector<int64_t> sizes;
            for (nb::handle size : shape)
              sizes.push_back(getInteger(size));
            std::string name = nb::cast<std::string>(
                nb::str(nb::module_::import_("numpy").attr("dtype")(dtype)));
            std::optional<DType> known = runtime::dtypeFromNumpyName(name);
            if (!known) {
              raise(ErrorKind::InvalidArgument,
                    "no array on the device has dtype " + name);
              throw nb::python_error();
            }
            new (self) DeviceArray(std::move(sizes), *known);
          },
          nb::arg("shape"), nb::arg("dtype") = "float32")
      .def("__init__", &refuseToMake)
      .def("numpy", &DeviceArray::toHost, "A copy on the host.")
      .def("set", &DeviceArray::set, nb::arg("value"),
           "Copies a numpy array, or numbers, of its shape to it.")
      .def_prop_ro("shape", &DeviceArray::getShapeTuple)
      .def_prop_ro("dtype", &DeviceArray::getDTypeObject)
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::getInterface);
}

} // namespace flywheel::python
