//===- OpSupport.cpp - What has a lowering --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that upstream adds to a dialect counts as supported here: the test of
// docs/OpSupport.md fails until it has a sample there, or a line here.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/OpSupport.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Interfaces/LowerableOpInterface.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace flywheel;

/// Returns true for dialects whose ops have lowerings, except for the ops of
/// `getInstead`.
static bool isSupportedDialect(StringRef name) {
  return llvm::is_contained({"arith", "math", "tensor", "linalg", "tosa", "scf",
                             "func", "cf", "index", "nn", "train", "linalg_ext",
                             "ml_program"},
                            name);
}

/// Returns true for ops of other dialects that have lowerings.
static bool isSupportedAlone(StringRef name) {
  return llvm::is_contained(
      {"builtin.module", "affine.apply", "affine.max", "affine.min"}, name);
}

/// Returns the ops without a lowering, each with a replacement that users can
/// write.
static const llvm::StringMap<StringRef> &getInstead() {
  static const StringRef
      gather = "'nn.gather', whose indices are checked",
      scatter = "'nn.scatter' or 'nn.scatter_add', whose indices are checked",
      extend = "'arith.mulf' of the scale and what 'arith.extf' makes",
      truncate = "'arith.truncf' of what 'arith.divf' by the scale makes",
      blocks = "the numbers themselves, times their scales, instead of blocks "
               "of one scale",
      constantShape = "the sizes themselves in one 'tosa.const_shape'",
      loops = "'scf.for', which carries what is reduced",
      packed = "its operand as it is: the compiler packs what it works on",
      convolution =
          "one 'linalg.conv_2d_nhwc_fhwc' of the image and the filter "
          "instead of the three ops",
      function = "'func.call' of a function of the module";
  static const llvm::StringMap<StringRef> instead = {
      {"arith.scaling_extf", extend},
      {"arith.scaling_truncf", truncate},
      {"tensor.gather", gather},
      {"tensor.scatter", scatter},
      {"tensor.parallel_insert_slice", "'tensor.insert_slice' in an 'scf.for'"},
      {"linalg.pack", packed},
      {"linalg.unpack", packed},
      {"linalg.winograd_filter_transform", convolution},
      {"linalg.winograd_input_transform", convolution},
      {"linalg.winograd_output_transform", convolution},
      {"tosa.custom", function},
      {"tosa.cast_from_block_scaled", blocks},
      {"tosa.cast_to_block_scaled", blocks},
      {"tosa.matmul_t_block_scaled", blocks},
      {"tosa.add_shape", constantShape},
      {"tosa.concat_shape", constantShape},
      {"tosa.dim", "'tensor.dim' of the tensor"},
      {"tosa.div_ceil_shape", constantShape},
      {"tosa.div_floor_shape", constantShape},
      {"tosa.exp2_shape", constantShape},
      {"tosa.log2_ceil_shape", constantShape},
      {"tosa.log2_floor_shape", constantShape},
      {"tosa.max_shape", constantShape},
      {"tosa.min_shape", constantShape},
      {"tosa.mod_shape", constantShape},
      {"tosa.mul_shape", constantShape},
      {"tosa.slice_shape", constantShape},
      {"tosa.sub_shape", constantShape},
      {"scf.forall", loops},
      {"scf.parallel", loops},
      {"scf.reduce", loops},
      {"func.call_indirect", function},
      {"func.constant", function},
  };
  return instead;
}

std::string flywheel::getUnsupportedReason(OperationName name) {
  auto found = getInstead().find(name.getStringRef());
  if (found != getInstead().end())
    return ("expected " + found->second).str();
  if (isSupportedDialect(name.getDialectNamespace()) ||
      isSupportedAlone(name.getStringRef()) ||
      name.hasInterface<LowerableOpInterface>() ||
      name.hasInterface<CompositeOpInterface>())
    return {};
  return "expected an op of arith, math, tensor, linalg, tosa, scf, func, nn "
         "or train, or one of a plugin that implements 'LowerableOpInterface' "
         "or 'CompositeOpInterface'";
}

static bool isSupportedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
  return isa<IndexType, BFloat16Type, Float16Type, Float32Type, Float64Type,
             train::StringType>(type);
}

bool flywheel::isSupportedType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isSupportedElement(tensor.getElementType());
  return isSupportedElement(type) || isa<tosa::shapeType>(type);
}
