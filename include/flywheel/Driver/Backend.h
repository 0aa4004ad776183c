//===- Backend.h - The code for one kind of target --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of compilation are the same for all targets (Pipelines.cpp). In
// the places where they differ they ask a back end: it adds its passes, and its
// features answer questions of the shared passes. docs/HowTo/AddBackend.md says
// how to write one.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_BACKEND_H
#define FLYWHEEL_DRIVER_BACKEND_H

#include "flywheel/Driver/CompilerOptions.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace flywheel {

/// The abilities of a back end that shared stages, options and tools depend on.
struct BackendFeatures {
  /// Ops share loops, for which schedules are chosen from `codegen.target`.
  /// Without, the stages rewrite nothing for speed.
  bool fusesOps = false;
  /// The loops of steps are code of the host: the shared stages measure them,
  /// divide them into functions, and may keep their constants out of objects.
  bool runsOnHost = false;
  /// Several threads of the host may execute a step together.
  bool sharesSteps = false;
  /// Steps may call functions of the host.
  bool callsHost = false;
  /// Tiles follow from the caches and the cores of a CPU.
  bool tilesForCaches = false;
  /// Convolutions may be computed by Winograd's method.
  bool hasWinograd = false;
  /// The cache of programs may keep the code.
  bool keepsPrograms = false;
  /// Object files need the runtime of GPUs.
  bool linksGPURuntime = false;
};

/// The facts of a back end, which are the same for all models.
struct BackendInfo {
  /// The name, which no other back end has.
  llvm::StringLiteral name;
  /// The lowering that it implements. Back ends that take the same devices
  /// differ in it.
  Lowering lowering;
  /// The values of the option `target` that it takes, for "expected ...", and
  /// an example.
  llvm::StringLiteral devices, exampleDevice;
  BackendFeatures features;
  /// The program that assembles code of the device for objects, which is
  /// searched under this name if `ptxas` names no other; empty for none. A
  /// folder that is searched after those of PATH.
  llvm::StringLiteral assembler = "", assemblerFolder = "";
};

class Backend {
public:
  explicit Backend(const BackendInfo &info) : info(info) {}
  virtual ~Backend();

  const BackendInfo &getInfo() const { return info; }
  const BackendFeatures &getFeatures() const { return info.features; }

  /// Returns true if the option `target` with this value chooses the back end.
  /// `device` is `cpu` by default, never empty.
  virtual bool takesDevice(llvm::StringRef device) const = 0;

  /// Emits an error at `module` and fails if steps cannot be compiled with
  /// these options. By default refuses several threads if they cannot share a
  /// step.
  virtual llvm::LogicalResult
  checkOptions(mlir::ModuleOp module, const CompilerOptions &options) const;

  /// Returns the attribute `codegen.target` of `module`. Emits an error and
  /// returns null if there is no such machine. The triple, the CPU and the
  /// features are those of a machine of the host that LLVM knows.
  virtual mlir::Attribute makeTarget(mlir::ModuleOp module,
                                     const TargetOptions &options) const = 0;

  //===--------------------------------------------------------------------===//
  // Passes, in the order of the stages. By default there are none.
  //===--------------------------------------------------------------------===//

  /// Before: linalg on tensors, every op of the program by itself. After: ops
  /// that are computed in one loop are one op. Updates of variables still
  /// follow the ops that they are fused with.
  virtual void populateFusion(mlir::OpPassManager &pm,
                              const CompilerOptions &options) const {}

  /// Before: linalg on tensors, in the order of the step. After: the same, or
  /// loops over tiles of it on tensors, in an order in which updates of
  /// variables follow the reads of their old values.
  virtual void populateTiles(mlir::OpPassManager &pm,
                             const CompilerOptions &options) const {}

  /// Before: bufferized steps, in which each update of a variable is in place.
  /// After: every allocation is at an offset of the workspace, which is within
  /// the memory budget, if there is one. Refuses a step without such a plan.
  virtual void populatePlan(mlir::OpPassManager &pm,
                            const CompilerOptions &options) const = 0;

  /// Before: bufferized steps on the block of state. After: no structured op;
  /// what remains is loops, vectors and calls of functions of the module, or
  /// ops that populateCode() lowers.
  virtual void populateLoops(mlir::OpPassManager &pm,
                             const CompilerOptions &options) const = 0;

  /// Before: as after populateLoops(). After: nothing is left to be executed
  /// outside of the host but data: code of devices is bytes, and its execution
  /// calls of the runtime.
  virtual void populateCode(mlir::OpPassManager &pm,
                            const CompilerOptions &options) const {}

private:
  BackendInfo info;
};

/// Adds a back end. Returns an error if its name is another one's, if another
/// one of the same lowering takes its example device, or if back ends have been
/// chosen already. Not thread-safe: call it before the first compilation.
llvm::Error registerBackend(std::unique_ptr<Backend> backend);

/// Returns every back end, in the order of registration; ours are first.
llvm::ArrayRef<std::unique_ptr<Backend>> getBackends();

/// Returns the back end for the target and the lowering of `options`, which is
/// optimized by default. Returns an error, with what is expected, if there is
/// none.
llvm::Expected<const Backend *> findBackend(const CompilerOptions &options);

/// Returns the same for options that have a back end.
const Backend &getBackend(const CompilerOptions &options);

/// Returns the back end with the name, or the first one that takes the device
/// of `options` if `name` is empty. Returns an error, with what is expected, if
/// there is none, or if it does not take the device.
llvm::Expected<const Backend *>
findBackendOfDevice(const TargetOptions &options, llvm::StringRef name = "");

/// Returns the text of an error about a device: `'tpu' is not a device such as
/// cuda:sm_90a: `.
std::string describeWrongDevice(llvm::StringRef device);

/// Returns the values of `target` that the back ends take, for "expected ...".
std::string listDevices();

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_BACKEND_H
