//===- Digests.cpp - Numbers that stand for the elements of arrays --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Digests.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>

namespace nb = nanobind;

namespace flywheel::python {
namespace {

/// The sizes and the strides of a dimension.
struct Dim {
  npy_intp size, stride;
};

/// The digest of bytes that are given in parts.
class Digest {
public:
  void add(const char *data, size_t size) {
    if (size < partSize) {
      part.append(data, data + size);
      if (part.size() >= partSize)
        addPart();
      return;
    }
    addPart();
    mix(llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(data), size)));
  }

  uint64_t finish() {
    addPart();
    return state;
  }

private:
  /// Shorter runs of bytes are collected.
  static constexpr size_t partSize = 4096;

  void addPart() {
    if (part.empty())
      return;
    mix(llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(part.data()), part.size())));
    part.clear();
  }

  void mix(uint64_t next) {
    uint64_t both[] = {state, next};
    state = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(both), sizeof(both)));
  }

  llvm::SmallVector<char, 0> part;
  uint64_t state = 0;
};
} // namespace

/// Adds the elements from `data` on, of the dimensions `dims`, each of which is
/// a run of `size` bytes.
static void addElements(Digest &digest, llvm::ArrayRef<Dim> dims,
                        const char *data, size_t size) {
  if (dims.empty())
    return digest.add(data, size);
  for (npy_intp place = 0; place < dims.front().size; ++place)
    addElements(digest, dims.drop_front(), data + place * dims.front().stride,
                size);
}

uint64_t getDigest(PyArrayObject *array) {
  Digest digest;
  llvm::SmallVector<Dim, 4> dims;
  for (int dim = 0; dim < PyArray_NDIM(array); ++dim) {
    if (PyArray_DIM(array, dim) == 0)
      return digest.finish();
    // Broadcast elements are the same ones.
    if (PyArray_DIM(array, dim) > 1 && PyArray_STRIDE(array, dim) != 0)
      dims.push_back({PyArray_DIM(array, dim), PyArray_STRIDE(array, dim)});
  }
  llvm::stable_sort(dims, [](const Dim &a, const Dim &b) {
    return std::abs(a.stride) > std::abs(b.stride);
  });
  npy_intp size = PyArray_ITEMSIZE(array);
  while (!dims.empty() && dims.back().stride == size)
    size *= dims.pop_back_val().size;
  addElements(digest, dims, PyArray_BYTES(array), static_cast<size_t>(size));
  return digest.finish();
}

void addDigests(nb::module_ &module) {
  module.def("_digest_of", [](nb::handle array) -> uint64_t {
    if (!PyArray_Check(array.ptr()))
      throw nb::type_error("expected an array of NumPy");
    return getDigest(reinterpret_cast<PyArrayObject *>(array.ptr()));
  });
}

} // namespace flywheel::python
