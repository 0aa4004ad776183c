//===- StringTensor.h - Strings in files ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Safetensors has no strings: a tensor NAME of strings is two tensors of the
// file. `NAME:bytes` (U8, one dimension) has all bytes in row-major order,
// `NAME:lengths` (I64, of the shape) has the number of bytes of each string.
// Names of variables have no ':', so that no other variable has one of these
// keys.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_STRINGTENSOR_H
#define FLYWHEEL_RUNTIME_STRINGTENSOR_H

#include "flywheel/Runtime/Safetensors.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flywheel::runtime {

/// The contents of the two tensors.
struct StringTensor {
  std::string bytes;
  std::vector<int64_t> lengths;
};

StringTensor packStrings(const std::vector<std::string_view> &texts);

/// Returns the strings, as views of \p tensor. Errors: kDataLoss, with the
/// error in the lengths.
Result<std::vector<std::string_view>> unpackStrings(const StringTensor &tensor);

/// Appends the two tensors of the file to \p tensors; \p tensor must outlive
/// them.
void appendStrings(const std::string &name, const Shape &shape,
                   const StringTensor &tensor,
                   std::vector<TensorView> &tensors);

/// The two tensors of a string tensor in a file.
struct StringTensorInfo {
  const TensorInfo *bytes;
  const TensorInfo *lengths;
};

/// Returns the strings of the name \p name; nullopt if the file has no such
/// pair.
std::optional<StringTensorInfo> findStrings(const SafetensorsContents &file,
                                            std::string_view name);

/// The contents of the two tensors, which findStrings() has found;
/// unpackStrings() takes them. Errors: kDataLoss when the lengths do not fit
/// the bytes; kResourceExhausted; those of SafetensorsReader::read().
Result<StringTensor> readStringTensor(const SafetensorsReader &file,
                                      std::string_view name);

/// The name of the strings that \p info is one of the two tensors of, or
/// nothing.
std::optional<std::string_view> getStringsName(const SafetensorsContents &file,
                                               const TensorInfo &info);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_STRINGTENSOR_H
