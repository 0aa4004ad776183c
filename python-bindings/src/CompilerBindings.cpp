//===- CompilerBindings.cpp - Modules and programs in Python --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Arrays.h"
#include "Bindings.h"
#include "Errors.h"
#include "GIL.h"
#include "Options.h"

#include "flywheel/Autodiff/DerivativeRules.h"
#include "flywheel/Batching/BatchingRules.h"
#include "flywheel/Driver/Plugins.h"
#include "flywheel/Driver/StepCost.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace flywheel::python {

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Parses with `parse(context, printer)`.
template <typename Parse> static std::unique_ptr<PyModule> parse(Parse action) {
  auto result = std::make_unique<PyModule>();
  result->printer = std::make_shared<DiagnosticPrinter>();
  CompileErrors errors;
  std::vector<DiagnosticText> warnings;
  {
    GILRelease release;
    result->context = createContext();
    result->context->printOpOnDiagnostic(false);
    DiagnosticCollector diagnostics(result->context.get(), *result->printer);
    result->module = action(*result->context, *result->printer);
    errors = takeErrors(diagnostics);
    warnings = diagnostics.getWarnings();
  }
  warn(warnings, !result->module);
  if (!result->module)
    throwCompileError(errors);
  return result;
}

static std::unique_ptr<PyModule> parseText(const Text &text, const Text &name) {
  return parse([&](mlir::MLIRContext &context, DiagnosticPrinter &printer) {
    return parseModuleText(context, text, name, printer);
  });
}

static std::unique_ptr<PyModule> parseFile(nb::handle file) {
  std::string path = getPath(file);
  std::unique_ptr<PyModule> result =
      parse([&](mlir::MLIRContext &context, DiagnosticPrinter &printer) {
        return parseModuleFile(context, path, printer);
      });
  result->path = std::move(path);
  return result;
}

static CompilerOptions makeOptions(const PyModule &module,
                                   const nb::dict &given) {
  CompilerOptions options = readOptions(given);
  options.inputPath = module.path;
  options.cInterface = false;
  return options;
}

namespace {
/// The diagnostics that compiling emitted.
struct Messages {
  CompileErrors errors;
  std::vector<DiagnosticText> warnings;
};
} // namespace

/// Runs the stages on a copy of the module.
static CompiledModule runStages(const PyModule &self,
                                const CompilerOptions &options,
                                Messages &messages) {
  DiagnosticCollector diagnostics(self.context.get(), *self.printer);
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::ModuleOp(*self.module).clone());
  // A profile names the ops of the source that a kernel computes.
  if (options.profile)
    copy->walk(nameLocation);
  llvm::FailureOr<CompiledModule> compiled =
      compileModule(std::move(copy), options);
  messages = {takeErrors(diagnostics), diagnostics.getWarnings()};
  if (failed(compiled))
    return {};
  return std::move(*compiled);
}

static std::unique_ptr<PyProgram>
compile(const PyModule &self, const nb::dict &given, unsigned optLevel) {
  CompilerOptions options = makeOptions(self, given);
  if (optLevel > 3)
    throw nb::value_error("expected opt_level 0 to 3");
  CodegenOptions asked;
  asked.target = options.target;
  // A target that cannot work is reported before any work is done.
  if (auto machine = createTargetMachine(asked); !machine)
    throwCompileError(llvm::toString(machine.takeError()));
  auto result = std::make_unique<PyProgram>();
  Messages messages;
  {
    ObjectLock lock(*self.mutex);
    GILRelease release;
    result->context = self.context;
    CompiledModule compiled = runStages(self, options, messages);
    if (compiled.module) {
      CodegenOptions codegen;
      codegen.target = compiled.options.target;
      codegen.optimizationLevel = optLevel;
      result->times = std::move(compiled.times);
      auto program = Program::create(*compiled.module, codegen, &result->times);
      if (program.isOk())
        result->program = std::move(*program);
      else
        messages.errors.text = program.status().message();
    }
  }
  warn(messages.warnings, !result->program);
  if (!result->program)
    throwCompileError(messages.errors);
  return result;
}

static std::unique_ptr<PyModule>
lower(const PyModule &self, const Text &stopAfter, nb::handle lowering) {
  nb::dict given;
  given["lowering"] = lowering;
  CompilerOptions options = makeOptions(self, given);
  options.stopAfter = stopAfter;
  auto result = std::make_unique<PyModule>();
  Messages messages;
  {
    ObjectLock lock(*self.mutex);
    GILRelease release;
    result->context = self.context;
    result->printer = self.printer;
    result->path = self.path;
    result->mutex = self.mutex;
    result->module = runStages(self, options, messages).module;
  }
  warn(messages.warnings, !result->module);
  if (!result->module)
    throwCompileError(messages.errors);
  return result;
}

/// Returns the cost of the entries of the module, as JSON.
static std::string cost(const PyModule &self,
                        const std::map<std::string, int64_t> &bindings,
                        const std::vector<std::string> &entries,
                        const std::vector<std::string> &fetches,
                        bool wholeGraph) {
  CostOptions costs;
  costs.entries = entries;
  costs.fetches = fetches;
  costs.wholeGraph = wholeGraph;
  for (const auto &[name, size] : bindings)
    if (llvm::Error error =
            addBinding(costs, name + "=" + std::to_string(size)))
      throw nb::value_error(
          ("bindings: " + llvm::toString(std::move(error))).c_str());
  CompilerOptions options = makeOptions(self, nb::dict());
  options.entries = entries;
  llvm::FailureOr<StepCost> counted = llvm::failure();
  Messages messages;
  {
    ObjectLock lock(*self.mutex);
    GILRelease release;
    DiagnosticCollector diagnostics(self.context.get(), *self.printer);
    counted = countStepCost(
        mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp(*self.module).clone()),
        options, costs);
    messages = {takeErrors(diagnostics), diagnostics.getWarnings()};
  }
  warn(messages.warnings, failed(counted));
  if (failed(counted))
    throwCompileError(messages.errors);
  return formatStepCost(*counted, /*isJSON=*/true);
}

static void addModule(nb::module_ &module) {
  nb::class_<PyModule>(module, "ModuleOp",
                       "A model as IR; str() gives the text.")
      .def("__init__", &refuseToMake)
      .def("__str__",
           [](const PyModule &self) {
             std::string text;
             llvm::raw_string_ostream os(text);
             ObjectLock lock(*self.mutex);
             // Not `<<`, which leaves out resources.
             mlir::ModuleOp(*self.module)->print(os, mlir::OpPrintingFlags());
             return text;
           })
      .def("__repr__", [](const PyModule &self) {
        std::optional<llvm::StringRef> name =
            mlir::ModuleOp(*self.module).getSymName();
        return "<flywheel.ModuleOp" + (name ? " @" + name->str() : "") + ">";
      });
  module.def("parse", &parseText, "text"_a, nb::kw_only(),
             "name"_a = "<string>",
             "Parses a model from text; `name` stands for the file in "
             "locations. Raises CompileError.");
  module.def("_load", &parseFile, "path"_a);
  module.def("_compile", &compile, "module"_a, "options"_a, "opt_level"_a);
  module.def("_cost", &cost, "module"_a, "bindings"_a, "entries"_a, "fetches"_a,
             "whole_graph"_a);
  module.def(
      "lower", &lower, "module"_a, nb::kw_only(), "stop_after"_a,
      "lowering"_a = nb::none(),
      "The module after a stage, one of stages(). A module that has been "
      "through some goes on from there. Raises CompileError.");
  module.def(
      "_load_plugin",
      [](nb::handle file, bool hasDialects) {
        std::string path = getPath(file);
        llvm::Error error =
            hasDialects ? loadDialectPlugin(path) : loadPassPlugin(path);
        if (error)
          throw nb::value_error(llvm::toString(std::move(error)).c_str());
      },
      "path"_a, "has_dialects"_a);
  module.def(
      "stages",
      [] {
        std::vector<std::pair<std::string, std::string>> stages;
        for (const Stage &stage : getStages())
          stages.emplace_back(stage.name.str(), stage.description.str());
        return stages;
      },
      "The stages of compilation in order: names and descriptions.");
  module.def(
      "derivative_rules",
      [] {
        std::vector<std::string> names;
        std::shared_ptr<mlir::MLIRContext> context = createContext();
        for (mlir::OperationName name : getDerivativeRules(*context))
          names.push_back(name.getStringRef().str());
        return names;
      },
      "Names of the ops that have a derivative rule, in alphabetical order.");
  module.def(
      "batching_rules",
      [] {
        std::vector<std::string> names;
        std::shared_ptr<mlir::MLIRContext> context = createContext();
        for (mlir::OperationName name : getDerivativeRules(*context))
          if (hasBatchingRule(name))
            names.push_back(name.getStringRef().str());
        return names;
      },
      "Names of the ops with a derivative rule that a Jacobian batches by a "
      "rule, in alphabetical order.");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// A feed or a result.
struct Argument {
  std::string name;
  runtime::DType dtype;
  nb::tuple shape;
};

struct Variable {
  std::string name;
  runtime::DType dtype;
  nb::tuple shape;
  int64_t offset, bytes;
  bool trainable;
  std::optional<std::string> slotOf;
  std::vector<std::string> collections;
  std::optional<std::string> device;
};

struct EntryInfo {
  std::string name;
  std::vector<Argument> feeds, results;
  std::vector<std::string> reads, writes, symbols;
  std::shared_ptr<const Program> program;
  std::shared_ptr<mlir::MLIRContext> context;
  const ManifestEntry *manifest;
};
} // namespace

static nb::object getDTypeObject(runtime::DType dtype) {
  return nb::steal(makeDType(dtype));
}

/// Dimension sizes, with the name of each symbolic one.
static nb::tuple makeShape(llvm::ArrayRef<int64_t> dimSizes,
                           llvm::ArrayRef<std::string> symbols) {
  nb::list shape;
  for (int64_t dimSize : dimSizes) {
    if (dimSize >= 0)
      shape.append(dimSize);
    else
      shape.append(symbols[-1 - dimSize]);
  }
  return nb::tuple(shape);
}

static std::vector<Argument>
getArguments(const std::vector<ArgumentSpec> &specs,
             const std::vector<std::string> &symbols) {
  std::vector<Argument> arguments;
  for (const ArgumentSpec &spec : specs)
    arguments.push_back(
        {spec.name, spec.dtype, makeShape(spec.dimSizes, symbols)});
  return arguments;
}

static std::vector<Variable> getVariables(const PyProgram &self) {
  std::vector<Variable> variables;
  for (auto [spec, manifest] :
       llvm::zip_equal(self.program->getVariables(),
                       self.program->getManifest().variables)) {
    Variable variable{
        spec.name,   spec.dtype,           makeShape(spec.shape, {}),
        spec.offset, spec.bytes,           manifest.trainable,
        {},          manifest.collections, {}};
    if (!manifest.slotOf.empty())
      variable.slotOf = manifest.slotOf;
    if (!manifest.device.empty())
      variable.device = manifest.device;
    variables.push_back(std::move(variable));
  }
  return variables;
}

static std::vector<EntryInfo> getEntries(const PyProgram &self) {
  const Manifest &manifest = self.program->getManifest();
  auto getNames = [&](llvm::ArrayRef<int64_t> indices) {
    std::vector<std::string> names;
    for (int64_t index : indices)
      names.push_back(manifest.variables[index].name);
    return names;
  };
  std::vector<EntryInfo> entries;
  for (const EntrySpec &spec : self.program->getEntries()) {
    const ManifestEntry *entry = spec.manifest;
    entries.push_back({entry->name, getArguments(spec.feeds, entry->symbols),
                       getArguments(spec.results, entry->symbols),
                       getNames(entry->reads), getNames(entry->writes),
                       entry->symbols, self.program, self.context, entry});
  }
  return entries;
}

static int64_t getBytes(CheckedSize size, const std::string &what) {
  if (size.isTooLarge())
    throw nb::value_error(
        ("expected " + what + " to be of at most " + kMaxSizeText +
         " bytes, found dimension sizes of which it needs more")
            .c_str());
  return *size.get();
}

static int64_t getWorkspaceBytes(const EntryInfo &self, nb::kwargs given) {
  llvm::SmallVector<int64_t> dimSizes;
  for (const std::string &symbol : self.symbols) {
    if (!given.contains(symbol.c_str())) {
      PyErr_Format(PyExc_TypeError, "expected the dimension size '%s'",
                   symbol.c_str());
      throw nb::python_error();
    }
    dimSizes.push_back(getInteger(given[symbol.c_str()]));
  }
  if (given.size() != dimSizes.size()) {
    PyErr_Format(PyExc_TypeError, "expected %zu dimension sizes, found %zu",
                 dimSizes.size(), given.size());
    throw nb::python_error();
  }
  for (auto [symbol, dimSize] : llvm::zip_equal(self.symbols, dimSizes))
    if (dimSize < 0)
      throw nb::value_error(
          ("expected the dimension size '" + symbol + "' to be at least 0")
              .c_str());
  return getBytes(self.manifest->getWorkspaceBytes(dimSizes),
                  "the workspace of '" + self.name + "'");
}

static void addInfo(nb::module_ &module) {
  nb::class_<Argument>(module, "ArgumentInfo", "A feed or a result.")
      .def("__init__", &refuseToMake)
      .def_ro("name", &Argument::name)
      .def_prop_ro(
          "dtype",
          [](const Argument &self) { return getDTypeObject(self.dtype); })
      .def_ro("shape", &Argument::shape,
              "Dimension sizes; the name of each that a call chooses.")
      .def("__repr__", [](const Argument &self) {
        return "<" + self.name + ": " +
               std::string(runtime::numpyName(self.dtype)) +
               nb::cast<std::string>(nb::str(self.shape)) + ">";
      });
  nb::class_<Variable>(module, "VariableInfo", "A variable of a program.")
      .def("__init__", &refuseToMake)
      .def_ro("name", &Variable::name)
      .def_prop_ro(
          "dtype",
          [](const Variable &self) { return getDTypeObject(self.dtype); })
      .def_ro("shape", &Variable::shape)
      .def_ro("trainable", &Variable::trainable)
      .def_ro("slot_of", &Variable::slotOf,
              "The parameter that owns this optimizer slot, or None.")
      .def_ro("collections", &Variable::collections,
              "Names of the collections that the variable is in.")
      .def_ro("device", &Variable::device,
              "Where the program wants the variable to live, or None.")
      .def_ro("offset", &Variable::offset,
              "Of the first element in the state block, in bytes.")
      .def_ro("nbytes", &Variable::bytes)
      .def("__repr__", [](const Variable &self) {
        return "<" + self.name + ": " +
               std::string(runtime::numpyName(self.dtype)) +
               nb::cast<std::string>(nb::str(self.shape)) + ">";
      });
  nb::class_<EntryInfo>(module, "EntryInfo", "An entry of a program.")
      .def("__init__", &refuseToMake)
      .def_ro("name", &EntryInfo::name)
      .def_ro("feeds", &EntryInfo::feeds)
      .def_ro("results", &EntryInfo::results)
      .def_ro("symbols", &EntryInfo::symbols,
              "Names of the dimension sizes that a call chooses.")
      .def_ro("reads", &EntryInfo::reads, "Names of variables.")
      .def_ro("writes", &EntryInfo::writes, "Names of variables.")
      .def("workspace_bytes", &getWorkspaceBytes, "dim_sizes"_a,
           "Bytes of scratch memory that a call with these dimension sizes "
           "needs.")
      .def("__repr__",
           [](const EntryInfo &self) { return "<" + self.name + ">"; });
}

void addCompiler(nb::module_ &module) {
  addModule(module);
  addInfo(module);
  nb::class_<PyProgram>(module, "Program",
                        "A compiled model: immutable, for any number of "
                        "sessions on any threads.")
      .def("__init__", &refuseToMake)
      .def_prop_ro("name",
                   [](const PyProgram &self) {
                     return self.program->getManifest().model;
                   })
      .def_prop_ro("variables", &getVariables, "In layout order.")
      .def_prop_ro("entries", &getEntries,
                   "What can be called, in the order of the module.")
      .def_prop_ro(
          "stage_times",
          [](const PyProgram &self) {
            std::vector<std::pair<std::string, double>> times;
            for (const StageTime &time : self.times)
              times.emplace_back(time.stage, time.seconds);
            return times;
          },
          "Names and seconds of the stages of compilation.")
      .def_prop_ro("state_bytes",
                   [](const PyProgram &self) {
                     return self.program->getManifest().stateBytes;
                   })
      .def_prop_ro(
          "threads",
          [](const PyProgram &self) {
            return self.program->getManifest().threads;
          },
          "How many threads the program is compiled for.")
      .def(
          "manifest",
          [](const PyProgram &self, int64_t maxDimSize) {
            const Manifest &manifest = self.program->getManifest();
            if (maxDimSize < 0)
              throw nb::value_error("expected a max_dim_size of at least 0");
            DimSizeBounds bounds = manifest.getBounds(maxDimSize);
            (void)getBytes(getCStateBytes(manifest, bounds),
                           "the state with the workspace");
            return llvm::formatv("{0:2}", manifest.toJSON(bounds)).str();
          },
          nb::kw_only(), "max_dim_size"_a = 1024,
          "The JSON description of the model; `max_dim_size` bounds the "
          "dimension sizes "
          "that fix its workspace, but for those that compile() has bounded.")
      .def("__repr__", [](const PyProgram &self) {
        return "<flywheel.Program " + self.program->getManifest().model + ">";
      });
}

} // namespace flywheel::python
