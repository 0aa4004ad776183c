//===- FormatTensor.cpp - Tensors as text ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/FormatTensor.h"

namespace flywheel::runtime {

void formatTensor(DType dtype, const Shape &shape, const void *elements,
                  const std::function<void(const std::string &)> &print) {
  size_t rank = shape.size();
  uint64_t size = dtypeSize(dtype);
  uint64_t count = elementCount(shape).value_or(0);
  const std::byte *data = static_cast<const std::byte *>(elements);
  if (count == 0)
    return print("  []\n");
  std::string text = "  " + std::string(rank, '[');
  for (uint64_t i = 0; i < count; ++i) {
    text += formatElement(dtype, data + i * size);
    // The number of dimensions that end with this element.
    size_t closed = 0;
    for (uint64_t inner = 1; closed < rank; ++closed) {
      inner *= uint64_t(shape[rank - 1 - closed]);
      if ((i + 1) % inner != 0)
        break;
    }
    text += std::string(closed, ']');
    if (i + 1 == count)
      break;
    text += closed ? ",\n  " + std::string(rank - closed, ' ') +
                         std::string(closed, '[')
                   : ", ";
    if (text.size() > (1 << 16)) {
      print(text);
      text.clear();
    }
  }
  print(text + "\n");
}

} // namespace flywheel::runtime
