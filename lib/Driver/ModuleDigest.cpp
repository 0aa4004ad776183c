//===- ModuleDigest.cpp - What tells a module from others -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/ModuleDigest.h"
#include "flywheel/Driver/Places.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::StringRef;

/// The elements of constants that the text of a module has.
constexpr int64_t kMaxPrintedElements = 256;

namespace {
/// Computes the digest of the text that is written to it.
class DigestStream : public llvm::raw_ostream {
public:
  DigestStream() { SetBuffered(); }
  ~DigestStream() override { flush(); }

  std::array<uint8_t, 32> final() {
    flush();
    return digest.final();
  }

private:
  void write_impl(const char *text, size_t size) override {
    digest.update(StringRef(text, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  llvm::SHA256 digest;
  uint64_t position = 0;
};

/// Writes the elements of constants, some of which the text leaves out: for
/// each attribute, its number in order of the first use, followed, the first
/// time, by its bytes.
class ElementsWriter {
public:
  explicit ElementsWriter(llvm::raw_ostream &os) : os(os) {}

  void write(Attribute attribute) {
    if (auto elements = dyn_cast<DenseElementsAttr>(attribute))
      return writeElements(elements);
    attribute.walkImmediateSubElements(
        [&](Attribute inner) {
          if (inner)
            write(inner);
        },
        [](Type) {});
  }

private:
  void writeElements(DenseElementsAttr elements) {
    auto [found, isNew] = numbers.try_emplace(elements, numbers.size());
    os << found->second << ";";
    if (!isNew)
      return;
    if (isa<DenseStringElementsAttr>(elements)) {
      for (StringRef text : elements.getRawStringData())
        os << text.size() << ":" << text;
      return;
    }
    ArrayRef<char> data = elements.getRawData();
    os << data.size() << ":";
    os.write(data.data(), data.size());
  }

  llvm::raw_ostream &os;
  llvm::DenseMap<Attribute, size_t> numbers;
};
} // namespace

std::string flywheel::getModuleDigest(ModuleOp module, bool hasLocations) {
  DigestStream os;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kMaxPrintedElements);
  // Prints all of it, whatever the command line limits.
  flags.elideLargeResourceString(std::numeric_limits<int64_t>::max());
  flags.printGenericOpForm();
  flags.skipRegions(false);
  flags.enableDebugInfo(hasLocations);
  module->print(os, flags);
  ElementsWriter elements(os);
  module->walk([&](Operation *op) { elements.write(op->getAttrDictionary()); });
  if (!hasLocations) {
    flywheel::PlaceNumbering numbering;
    flywheel::walkLocations(module, [&](Location location) {
      os << numbering.getNumber(location) << ",";
    });
  }
  return llvm::toHex(os.final(), /*LowerCase=*/true);
}
