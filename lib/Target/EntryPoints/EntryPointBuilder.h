//===- EntryPointBuilder.h - Functions that a user can call -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H
#define FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H

#include "DenormalMode.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace flywheel {

/// The error of a read of a variable without a value.
inline std::string getUninitializedMessage(const ManifestVariable &variable) {
  return "Attempting to use uninitialized value " + variable.name;
}

/// Emits the wrappers of `flywheel-emit-entry-points` into a module and appends
/// the messages they need to a manifest.
class EntryPointBuilder {
public:
  /// `bounds` are those of the C interface.
  EntryPointBuilder(mlir::ModuleOp module, Manifest &manifest,
                    const ExtentBounds &bounds, DenormalControl denormals);

  /// The internal function that gives storage initial values, which the packed
  /// forms call; before any of them. `kernel` is that of the initializer.
  void emitEvaluator(const ManifestEntry &init, mlir::LLVM::LLVMFuncOp kernel);

  /// `M_E.packed(state, workspace, feeds, extents, results) -> i32` over the
  /// kernel of `entry`.
  mlir::LLVM::LLVMFuncOp emitPacked(const ManifestEntry &entry,
                                    mlir::LLVM::LLVMFuncOp kernel);

  /// `M_init.packed`, with the two feeds that PackedFunction describes. Also
  /// for a model without variables.
  mlir::LLVM::LLVMFuncOp emitPackedInitializer(const ManifestEntry &entry);

  /// `M_E(s, feeds and extents..., results...) -> i32` over the packed form.
  void emitCFunction(const ManifestEntry &entry, mlir::LLVM::LLVMFuncOp packed);

  /// `M_init(s, seed) -> i32` and `M_init_some(s, seed, select) -> i32`.
  void emitCInitializers(const ManifestEntry &entry,
                         mlir::LLVM::LLVMFuncOp packed);

  /// `M_last_error(s) -> const char *`; call it after the functions, as it
  /// holds the texts of all messages.
  void emitLastError();

  /// The other names of what C calls, which only objects of one interface have.
  /// Call it last, as the interface depends on the messages.
  void emitLinkedNames();

private:
  // Functions and blocks.
  mlir::LLVM::LLVMFuncOp beginFunction(llvm::StringRef name,
                                       mlir::Type resultType,
                                       llvm::ArrayRef<mlir::Type> arguments);
  /// Makes the block that stores the status it is given and returns it.
  void addFailBlock(mlir::Value state);
  /// Leaves with the status of that message if `condition`; goes on otherwise.
  void failIf(mlir::Value condition, StatusKind kind,
              const llvm::Twine &message);
  /// Leaves if a dimension size of the C interface is above its bound or
  /// negative, with a text that says what it is.
  void failIfTooLarge(mlir::Value size, mlir::Value state, llvm::StringRef name,
                      llvm::StringRef entrySymbol, int64_t bound);
  mlir::LLVM::LLVMFuncOp getSizeReporter();
  /// A constant array of these bytes.
  mlir::LLVM::GlobalOp addText(const llvm::Twine &name, llvm::StringRef text);
  /// The same for a null state, in which no status can be stored.
  void failIfNullState(mlir::Value state);
  mlir::Block *addBlock();
  void emitReturn(mlir::Value value);

  // The checks and parts of the packed form.
  void emitStateChecks(mlir::Value state);
  void emitHashCheck(mlir::Value state);
  mlir::Value emitIsAdopted(mlir::Value state);
  void emitAdoption(mlir::Value state);
  void emitNeeds(mlir::Value state, mlir::Value roots, mlir::Value commit,
                 mlir::Value needs);
  void emitInitialValues(const ManifestEntry &entry, mlir::Value state,
                         mlir::Value workspace);
  void emitEvaluation(mlir::Value state, mlir::Value workspace,
                      mlir::Value seed, mlir::Value roots, bool commit);
  void failOnStatus(mlir::Value status);
  mlir::Value emitHasValue(mlir::Value state, int64_t variable);
  void emitInitializedChecks(const ManifestEntry &entry, mlir::Value state);
  /// Bytes of the caller.
  struct Buffer {
    mlir::Value pointer, bytes;
  };
  mlir::Value emitByteSize(const ManifestArgument &argument,
                           mlir::Value extents);
  void failIfTooManyBytes(const ManifestEntry &entry,
                          const ManifestArgument &argument, mlir::Value extents,
                          const llvm::Twine &message);
  void failIfOverlap(const Buffer &one, const Buffer &other,
                     const llvm::Twine &message);
  void emitPointerChecks(const ManifestEntry &entry, mlir::Value state,
                         mlir::Value feeds, mlir::Value extents,
                         mlir::Value results);
  void emitKernelCall(const ManifestEntry &entry, mlir::LLVM::LLVMFuncOp kernel,
                      mlir::Value state, mlir::Value workspace,
                      mlir::ValueRange feeds, mlir::Value extents,
                      mlir::Value results, mlir::Value modeSlots);
  void appendByteBuffer(llvm::SmallVectorImpl<mlir::Value> &operands,
                        mlir::Value pointer, int64_t size);
  void appendTensor(llvm::SmallVectorImpl<mlir::Value> &operands,
                    mlir::Value pointer, const ManifestArgument &argument,
                    mlir::Value extents);

  // Messages with sizes.
  /// Emits the function that writes a text with the sizes of a state block into
  /// it, and returns where.
  mlir::LLVM::LLVMFuncOp emitFormatter();
  void emitDigits(mlir::Block *entry, mlir::LLVM::GlobalOp powers,
                  mlir::Block *next);

  // Values.
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value nullPointer();
  mlir::Value isNull(mlir::Value pointer);
  mlir::Value offsetBy(mlir::Value base, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value base, int64_t bytes);
  void store(mlir::Value value, mlir::Value base, int64_t bytes);
  mlir::Value element(mlir::Type type, mlir::Value array, int64_t index);
  mlir::Value stackSlots(mlir::Type type, int64_t count);
  mlir::Value element(mlir::Type type, mlir::Value array, mlir::Value index);
  /// Emits a loop over [0, count); `body` gets the index (i64).
  void emitLoop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value emitCompare(mlir::LLVM::ICmpPredicate predicate, mlir::Value lhs,
                          mlir::Value rhs);

  /// Status of a message, which is added if it is new.
  int32_t getStatus(StatusKind kind, const llvm::Twine &message);
  std::string getNullStateMessage() const;

  mlir::ModuleOp module;
  Manifest &manifest;
  const ExtentBounds &bounds;
  DenormalControl denormals;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type ptr, i8, i32, i64;
  std::string prefix;
  /// Of the function under construction.
  mlir::Block *failBlock = nullptr;
  /// The function of getSizeReporter(), or null before it.
  mlir::LLVM::LLVMFuncOp sizeReporter;
  /// The function of emitEvaluator(), or null before it.
  mlir::LLVM::LLVMFuncOp evaluator;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_ENTRYPOINTS_ENTRYPOINTBUILDER_H
