//===- Bindings.h - What Python objects own ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_BINDINGS_H
#define FLYWHEEL_PYTHON_BINDINGS_H

#include <nanobind/nanobind.h>

#include "ObjectMutex.h"

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Session/Session.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flywheel::python {

/// A parsed module and the context it lives in.
struct PyModule {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Has the source of the module.
  std::shared_ptr<DiagnosticPrinter> printer;
  /// The path of its file; empty for text.
  std::string path;
  /// The mutex of all modules of the context.
  std::shared_ptr<ObjectMutex> mutex = std::make_shared<ObjectMutex>();
};

/// A program; its manifest has types of the context.
struct PyProgram {
  // Destroyed in reverse order: the program before its context.
  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<const Program> program;
  /// For a traced module, the program with numbers of places, which other
  /// modules with the same form share, and the places.
  std::shared_ptr<const Program> numbered;
  std::vector<std::string> places;
  std::vector<StageTime> times;
  /// The compiler's warnings; if there are any, the text of the module with the
  /// locations that they name.
  std::vector<DiagnosticText> warnings;
  std::string located;
};

/// A session, which one thread at a time may use.
struct PySession {
  // Destroyed in reverse order.
  std::shared_ptr<mlir::MLIRContext> context;
  std::unique_ptr<Session> session;
  /// Shared by the sessions that share variables.
  std::shared_ptr<ObjectMutex> mutex;
};

void addCompiler(nanobind::module_ &module);
void addSession(nanobind::module_ &module);
/// Adds what saves and restores, as methods of the session too.
void addCheckpoints(nanobind::module_ &module,
                    nanobind::class_<PySession> &session);
/// Converts the argument `variables` of a save or a restore: None, names, or a
/// dict from keys to names.
runtime::CheckpointOptions getCheckpointOptions(nanobind::handle variables);
runtime::CheckpointOptions
getSaveOptions(nanobind::handle variables,
               const std::optional<nanobind::dict> &metadata);

/// Makes the class of callable entries and adds it to the module.
void addEntryType(nanobind::module_ &module);

class Binding;

/// Returns a new callable of an entry; `owner` is the Python object of the
/// session, which it keeps alive, or of the `binding` of the session to a
/// store, which then is activated before each call. Null with a Python error.
PyObject *makeEntry(nanobind::handle owner, PySession &session, CallPlan &plan,
                    Binding *binding = nullptr);
/// Calls an entry as the callable does, whose type is not checked.
PyObject *callEntry(PyObject *entry, PyObject *const *args, size_t nargsf,
                    PyObject *names);
/// Returns the feeds of an entry that makeEntry() made; null for any other
/// object.
const std::vector<ArgumentSpec> *getFeeds(PyObject *entry);

/// Adds what keeps the values of variables, and calls of traced functions.
void addStore(nanobind::module_ &module);
void addDispatcher(nanobind::module_ &module);
/// Adds what writes and reads compiled programs.
void addProgramFiles(nanobind::module_ &module);
void addTools(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_BINDINGS_H
