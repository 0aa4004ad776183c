//===- Graph.h - A module that Python builds --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph that tracing builds: a module, op by op, each verified when the
// user's line creates it. Handles keep the graph alive, and know the region of
// their value, so that a value that is out of scope is an error and never a
// stale pointer.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_GRAPH_H
#define FLYWHEEL_PYTHON_GRAPH_H

#include "Bindings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SetVector.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flywheel::python {

class Graph;

/// A value of a graph.
struct PyValue {
  std::shared_ptr<Graph> graph;
  mlir::Value value;
  /// The region that it is in; see `Graph::isLive`.
  uint64_t scope = 0;
};

/// A type of a graph's context.
struct PyType {
  std::shared_ptr<Graph> graph;
  mlir::Type type;
};

/// A finished region, which one op takes. The graph has it until then, since
/// what it uses may go away before this handle does.
struct PyRegion {
  std::shared_ptr<Graph> graph;
  uint64_t scope = 0;
};

/// A module in the making. One thread at a time may use it: Python's lock is
/// held in every call.
class Graph : public std::enable_shared_from_this<Graph> {
public:
  /// `package` is the folder whose frames are not the user's.
  Graph(const std::string &name, std::string package);
  ~Graph();

  mlir::MLIRContext *getContext() const { return context.get(); }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::ModuleOp getModule() const { return *module; }
  DiagnosticPrinter &getPrinter() const { return *printer; }

  /// Returns the line of the user's code that runs, with the calls that led to
  /// it, or the place that `setPlace` gave.
  mlir::Location findLocation() const;

  /// Gives the ops that are created from now on line `number` of `name` as
  /// their place; with an empty name, the line of the user's code that runs.
  void setPlace(const std::string &name, uint32_t number);

  /// Starts a function, into which ops go from then on, and returns its
  /// arguments. Throws where one is not finished.
  std::vector<PyValue> beginFunction(const std::string &name,
                                     const std::vector<PyType *> &types,
                                     nanobind::dict attributes,
                                     nanobind::list argumentAttributes);
  /// Adds attributes to it. Throws where none is started.
  void annotateFunction(nanobind::dict attributes);
  /// Ends it with these results.
  void endFunction(const std::vector<PyValue *> &results,
                   nanobind::list resultAttributes);
  /// Throws away the function that is not finished.
  void abandonFunction();

  /// Starts a region with a block of these arguments.
  std::vector<PyValue> beginRegion(const std::vector<PyType *> &types);
  /// Ends it with a terminator.
  PyRegion endRegion(const std::string &terminator,
                     const std::vector<PyValue *> &results);
  /// Creates a region without a block.
  PyRegion makeEmptyRegion();
  /// Throws away the innermost region.
  void abandonRegion();

  /// Creates an op and verifies it. `results` is None if the op infers their
  /// types. With `isTopLevel` it is inserted into the module before functions.
  std::vector<PyValue>
  createOp(const std::string &name, const std::vector<PyValue *> &operands,
           nanobind::handle results, nanobind::dict attributes,
           const std::vector<PyRegion *> &regions, bool isTopLevel);

  /// Creates a constant of a numpy array, or of one element that is repeated.
  PyValue createConstant(nanobind::handle array, const PyType &type);

  /// Builds attributes of `PyAttribute`s by name. Throws TypeError for a value
  /// that has no such attribute.
  mlir::NamedAttrList makeAttributes(nanobind::dict attributes);

  /// Returns, for each x, true if some y is a differentiable function of it.
  /// The value of a variable stands for the variable. With `throughSteps`, ops
  /// such as `math.floor`, whose derivative is 0, count as differentiable.
  std::vector<bool> findDependencies(const std::vector<PyValue *> &ys,
                                     const std::vector<PyValue *> &xs,
                                     bool throughSteps);

  /// Returns the difference of two numbers of type index, if it is the same in
  /// every call: both are computed from sizes, and sizes of feeds of one name
  /// are equal.
  std::optional<int64_t> findDifference(const PyValue &a, const PyValue &b);

  /// Emits the computation of a region for `dim_size` positions of a new
  /// dimension. The arguments with `isBatched` have that dimension first in
  /// `inputs`, and so do the returned results.
  std::vector<PyValue> batchRegion(PyRegion &region,
                                   const std::vector<PyValue *> &inputs,
                                   const std::vector<bool> &isBatched,
                                   nanobind::handle dimSize);

  /// Appends arguments for the values from outside that a region uses, and
  /// returns these values.
  std::vector<PyValue> isolateRegion(PyRegion &region);

  /// Returns a copy of the module for the compiler. Throws if a function is not
  /// finished.
  std::unique_ptr<PyModule> finish();

  /// Returns the mlir value of a handle. Throws if it is of another graph, or
  /// of a region that has ended.
  mlir::Value get(const PyValue &value) const;
  PyValue wrap(mlir::Value value);
  PyType wrapType(mlir::Type type) { return {shared_from_this(), type}; }
  bool isLive(uint64_t scope) const;

private:
  /// Returns the region of a handle. Throws if it is of another graph, or
  /// taken.
  mlir::Region &lookup(const PyRegion &region) const;
  std::unique_ptr<mlir::Region> take(const PyRegion &region);
  /// Throws where a region uses values of one that is not open any more.
  void checkCaptures(mlir::Region &region);
  /// Throws away finished regions that began after `scope`.
  void dropFinished(uint64_t scope);

  struct Frame {
    mlir::OpBuilder::InsertPoint outer;
    std::unique_ptr<mlir::Region> region;
    uint64_t scope;
  };

  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<DiagnosticPrinter> printer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  std::string package;
  /// See `setPlace`; null without one.
  mlir::LocationAttr givenPlace;
  mlir::func::FuncOp function;
  std::vector<Frame> frames;
  /// By their scopes, which grow with time.
  std::map<uint64_t, std::unique_ptr<mlir::Region>> finished;
  uint64_t functionScope = 0, nextScope = 1;
};

/// Throws the error that stands for what a failed action emitted.
[[noreturn]] void throwDiagnostics(const DiagnosticCollector &diagnostics);

void addGraph(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_GRAPH_H
