//===- CheckpointValues.cpp - Values of checkpoints as attributes ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointValues.h"

#include "flywheel/Model/CNames.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Converts the bytes of a checkpoint's tensor to an attribute of `type`.
static DenseElementsAttr toElements(RankedTensorType type,
                                    ArrayRef<char> bytes) {
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  // A truth value is a byte there, and a bit here.
  SmallVector<bool> values;
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, values);
}

runtime::Result<Attribute>
flywheel::train::readCheckpointValue(const runtime::CheckpointReader &file,
                                     VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  std::string name = variable.getSymName().str();
  runtime::Shape shape(type.getShape());
  if (isa<StringType>(type.getElementType())) {
    runtime::Result<runtime::StringTensor> tensor =
        file.readStrings(name, name, shape);
    if (!tensor.isOk())
      return tensor.status();
    runtime::Result<std::vector<std::string_view>> texts =
        runtime::unpackStrings(*tensor);
    if (!texts.isOk())
      return texts.status();
    Builder b(variable.getContext());
    return Attribute(
        b.getArrayAttr(llvm::map_to_vector(*texts, [&](std::string_view text) {
          return Attribute(b.getStringAttr(StringRef(text)));
        })));
  }
  std::optional<runtime::DType> dtype =
      runtime::dtypeFromNumpyName(getDTypeName(type.getElementType()));
  assert(dtype && "a variable has elements that a checkpoint can hold");
  std::vector<char> buffer(1);
  std::vector<runtime::RestoreTarget> targets = {
      {name, *dtype, shape, buffer.data()}};
  // The contents of a file fit into memory; the size that a type asks for may
  // not.
  if (runtime::Status status = file.check(targets); !status.isOk())
    return status;
  buffer.resize(type.getNumElements() * runtime::dtypeSize(*dtype));
  targets.front().data = buffer.data();
  if (runtime::Status status = file.read(targets); !status.isOk())
    return status;
  return Attribute(toElements(type, buffer));
}
