//===- EntryCode.h - The code that entry points are made of -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYCODE_H
#define FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace flywheel {

/// Builds functions of structured control flow. Memory is that of a C program,
/// whose pointers and layout the interface promises: it is accessed by pointers
/// of the LLVM dialect.
class EntryCode {
public:
  explicit EntryCode(mlir::ModuleOp module);

  // Functions.
  /// Adds a function to the module and continues in its body. Without a type it
  /// has no result.
  mlir::func::FuncOp beginFunction(llvm::StringRef name, mlir::Type resultType,
                                   llvm::ArrayRef<mlir::Type> arguments);
  void emitReturn(mlir::Value value);
  void emitReturn();
  mlir::Value emitCall(mlir::func::FuncOp callee,
                       llvm::ArrayRef<mlir::Value> operands);

  // Control flow. Callbacks build into a region.
  /// Returns the value of `onTrue` if `condition` holds, and that of `onFalse`
  /// otherwise.
  mlir::Value emitIf(mlir::Value condition,
                     llvm::function_ref<mlir::Value()> onTrue,
                     llvm::function_ref<mlir::Value()> onFalse);
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  /// Returns `status`, or the value of `next` if `status` is 0, for the steps
  /// of a function that ends with the first one that fails.
  mlir::Value emitThen(mlir::Value status,
                       llvm::function_ref<mlir::Value()> next);
  /// Emits a loop over [0, count); `body` gets the index (i64).
  void emitLoop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// Emits a loop over [0, count) that carries `value`. `body` gets the index
  /// (i64) and the current value, and returns the next one. Returns the last
  /// one.
  mlir::Value
  emitFold(mlir::Value count, mlir::Value value,
           llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

  // Integers and truth values.
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value isEqual(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isNot(mlir::Value value, int64_t other);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);
  mlir::Value either(mlir::Value lhs, mlir::Value rhs);
  mlir::Value negate(mlir::Value condition);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value extend(mlir::Value value, mlir::Type type);

  // Pointers and memory.
  mlir::Value nullPointer();
  mlir::Value isNull(mlir::Value pointer);
  /// Returns the address as an i64.
  mlir::Value getAddress(mlir::Value pointer);
  mlir::Value offsetBy(mlir::Value base, int64_t bytes);
  mlir::Value load(mlir::Type type, mlir::Value base, int64_t bytes = 0);
  void store(mlir::Value value, mlir::Value base, int64_t bytes = 0);
  void fill(mlir::Value base, int8_t byte, int64_t count);
  /// Returns a pointer to element `index` of an array of `type`.
  mlir::Value element(mlir::Type type, mlir::Value array, int64_t index);
  mlir::Value element(mlir::Type type, mlir::Value array, mlir::Value index);
  /// Emits the alignment of `type` in C on the target, in bytes, as an i64.
  mlir::Value emitAlignmentOf(mlir::Type type);
  /// Returns stack memory of the function; null for no elements. Not for use in
  /// regions.
  mlir::Value stackSlots(mlir::Type type, int64_t count);
  /// Returns a constant array of these bytes.
  mlir::LLVM::GlobalOp addText(const llvm::Twine &name, llvm::StringRef text);
  /// Returns a constant array of integers.
  template <typename T>
  mlir::LLVM::GlobalOp addTable(const llvm::Twine &name,
                                llvm::ArrayRef<T> values) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    mlir::Type type = b.getIntegerType(8 * sizeof(T));
    return mlir::LLVM::GlobalOp::create(
        b, loc, mlir::LLVM::LLVMArrayType::get(type, values.size()),
        /*isConstant=*/true, mlir::LLVM::Linkage::Internal, name.str(),
        mlir::DenseElementsAttr::get(
            mlir::RankedTensorType::get({static_cast<int64_t>(values.size())},
                                        type),
            values));
  }
  mlir::Value getAddressOf(mlir::LLVM::GlobalOp global);
  mlir::Value getAddressOf(mlir::func::FuncOp function);

  // The `flywheel_team` of a caller, which the C header declares.
  mlir::Value loadNumWorkers(mlir::Value team);
  mlir::Value loadRunFunction(mlir::Value team);
  mlir::Value loadBarrierFunction(mlir::Value team);
  /// Calls a function without a result by its address.
  void callPointer(mlir::Value function, llvm::ArrayRef<mlir::Value> operands);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type ptr, i1, i8, i32, i64;

private:
  mlir::Value loadTeamField(mlir::Type type, mlir::Value team, int32_t field);
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYCODE_H
