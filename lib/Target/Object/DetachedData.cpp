//===- DetachedData.cpp - Constants beside machine code -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/DetachedData.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace flywheel {

/// Below, a symbol of its own costs more than copies do.
constexpr size_t kMinDetachedBytes = size_t{1} << 20;

/// Returns the elements of `value` as they are in memory; empty if it does not
/// store them like that.
static llvm::ArrayRef<char> getStoredBytes(mlir::Attribute value) {
  auto elements = llvm::dyn_cast_or_null<mlir::ElementsAttr>(value);
  if (!elements || !elements.getElementType().isIntOrFloat())
    return {};
  unsigned width = elements.getElementType().getIntOrFloatBitWidth();
  llvm::ArrayRef<char> bytes;
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
    if (mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  } else if (auto dense =
                 llvm::dyn_cast<mlir::DenseIntOrFPElementsAttr>(value)) {
    if (!dense.isSplat())
      bytes = dense.getRawData();
  }
  bool isWhole = width == 8 || width == 16 || width == 32 || width == 64;
  uint64_t expected = uint64_t(elements.getNumElements()) * (width / 8);
  return isWhole && bytes.size() == expected ? bytes : llvm::ArrayRef<char>();
}

std::vector<DetachedData> detachLargeConstants(mlir::ModuleOp module) {
  std::vector<DetachedData> result;
  for (auto global : module.getOps<mlir::LLVM::GlobalOp>()) {
    mlir::LLVM::Linkage linkage = global.getLinkage();
    if (!global.getConstant() || global.getAddrSpace() != 0 ||
        (linkage != mlir::LLVM::Linkage::Private &&
         linkage != mlir::LLVM::Linkage::Internal))
      continue;
    llvm::ArrayRef<char> bytes = getStoredBytes(global.getValueOrNull());
    if (bytes.size() < kMinDetachedBytes)
      continue;
    result.push_back({global.getSymName().str(),
                      llvm::StringRef(bytes.data(), bytes.size())});
    global.removeValueAttr();
    global.setLinkage(mlir::LLVM::Linkage::External);
    global.setDsoLocal(false);
  }
  return result;
}

} // namespace flywheel
