//===- ProgramFiles.cpp - Programs in files -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Bindings.h"
#include "Errors.h"
#include "GIL.h"
#include "Options.h"

#include "flywheel/Driver/ModuleDigest.h"
#include "flywheel/Driver/OutputFiles.h"
#include "flywheel/Driver/Places.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Runtime/GPUMemory.h"
#include "flywheel/Target/CHeader/CHeader.h"
#include "flywheel/Target/Object/ObjectFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace flywheel::python {

/// Raises what Python's own open() does: the subclass of OSError that the
/// reason has.
[[noreturn]] static void fail(const OutputFileError &error) {
  // The values of both categories that files have are those of errno.
  std::error_code code = error.convertToErrorCode();
  nb::object arguments = nb::steal(
      Py_BuildValue("(isN)", code.value(), code.message().c_str(),
                    PyUnicode_DecodeFSDefault(error.getPath().c_str())));
  if (arguments.ptr())
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  throw nb::python_error();
}

static bool hasGPU() { return runtime::synchronizeGPU(/*stream=*/0).isOk(); }

static std::string printLocations(const PyModule &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo();
  mlir::ModuleOp(*module.module)->print(os, flags);
  return text;
}

/// Returns true if both programs, which differ in places only, have the same
/// texts: few places are in one.
static bool sayTheSame(const Program &first, const Program &second) {
  const Manifest &a = first.getManifest(), &b = second.getManifest();
  auto areEqual = [](const ManifestMessage &m, const ManifestMessage &n) {
    return m.text == n.text;
  };
  if (!llvm::equal(a.messages, b.messages, areEqual))
    return false;
  for (auto [ours, theirs] : llvm::zip_equal(a.entries, b.entries))
    for (auto [feed, other] : llvm::zip_equal(ours.feeds, theirs.feeds))
      if (feed.places != other.places)
        return false;
  return true;
}

/// Returns the program of a module that differs from the one of `self` in
/// places only, with its own in what it says at run time; says again what was
/// said when it was compiled. None where that is about other places than
/// `module` has.
static nb::object reuse(nb::handle given, const PyModule &module) {
  const auto &self = nb::cast<const PyProgram &>(given);
  if (!self.warnings.empty()) {
    if (self.located !=
        runAlone(*module.mutex, [&] { return printLocations(module); }))
      return nb::none();
    warn(self.warnings, /*hasFailed=*/false);
  }
  std::vector<std::string> places =
      runAlone(*module.mutex, [&] { return getPlaces(*module.module); });
  if (places == self.places)
    return nb::borrow(given);
  std::shared_ptr<const Program> program = self.numbered->withPlaces(places);
  if (sayTheSame(*program, *self.program))
    return nb::borrow(given);
  auto result = std::make_unique<PyProgram>();
  result->context = self.context;
  result->numbered = self.numbered;
  result->times = self.times;
  result->warnings = self.warnings;
  result->located = self.located;
  result->program = std::move(program);
  result->places = std::move(places);
  return nb::cast(std::move(result));
}

/// Returns the program of a traced module for this machine: from the cache in
/// `folder`, unless that is empty, or compiled and kept there.
static std::unique_ptr<PyProgram> compileTraced(const PyModule &self,
                                                const std::string &folder,
                                                const nb::dict &given) {
  CompilerOptions options = readOptions(given);
  options.inputPath = self.path;
  options.cInterface = false;
  CodegenOptions codegen;
  codegen.detachesConstants = true;
  options.numbersPlaces = true;
  if (!folder.empty())
    options.cache = {ProgramCache(folder), codegen};
  auto result = std::make_unique<PyProgram>();
  result->context = self.context;
  CompileErrors errors;
  {
    ObjectLock lock(*self.mutex);
    GILRelease release;
    DiagnosticCollector diagnostics(self.context.get(), *self.printer);
    llvm::FailureOr<CompiledModule> compiled = compileModule(
        mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp(*self.module).clone()),
        options);
    result->warnings = diagnostics.getWarnings();
    if (!result->warnings.empty())
      result->located = printLocations(self);
    if (failed(compiled)) {
      errors = takeErrors(diagnostics);
    } else {
      codegen.target = compiled->options.target;
      auto object = makeObject(*compiled, codegen);
      if (object) {
        auto program = Program::load(*compiled->module, std::move(*object),
                                     codegen, JITOptions(), compiled->data);
        if (program.isOk()) {
          result->numbered = std::move(*program);
          result->places = getPlaces(*self.module);
          result->program = result->numbered->withPlaces(result->places);
        } else {
          errors.text = program.status().message();
        }
        result->times = std::move(compiled->times);
      } else {
        errors.text = llvm::toString(object.takeError());
      }
    }
  }
  warn(result->warnings, !result->program);
  if (!result->program)
    throwCompileError(errors);
  return result;
}

/// Writes what `flywheel-compile` does: object, header and manifest. Returns
/// which weights the object has, and remarks on bounds.
static std::pair<std::string, std::vector<std::string>>
exportObject(const PyModule &self, nb::handle path, const nb::dict &given,
             unsigned optLevel, bool remarksOnBounds) {
  std::string object = getPath(path);
  auto withExtension = [&](llvm::StringRef extension) {
    llvm::SmallString<128> result(object);
    llvm::sys::path::replace_extension(result, extension);
    return result.str().str();
  };
  if (object == withExtension("h") || object == withExtension("json"))
    throw nb::value_error(
        ("the object file, the header and the manifest need different paths, "
         "found '" +
         object + "', '" + withExtension("h") + "' and '" +
         withExtension("json") + "'")
            .c_str());
  CompilerOptions options = readOptions(given);
  // The same on every machine, whoever exports it.
  options.filePrefixMap.emplace();
  // The environment is that of this process.
  options.threads.byDefault = 1;
  CompileErrors errors;
  std::string weights;
  std::vector<std::string> remarks;
  std::optional<OutputFileError> fileError;
  std::vector<DiagnosticText> warnings;
  {
    ObjectLock lock(*self.mutex);
    GILRelease release;
    DiagnosticCollector diagnostics(self.context.get(), *self.printer);
    llvm::FailureOr<CompiledModule> compiled = compileModule(
        mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp(*self.module).clone()),
        options);
    warnings = diagnostics.getWarnings();
    if (failed(compiled)) {
      errors = takeErrors(diagnostics);
    } else {
      CodegenOptions codegen;
      codegen.target = compiled->options.target;
      codegen.optimizationLevel = optLevel;
      auto code = MachineModule::create(*compiled->module, codegen);
      auto bytes = code ? code->getObject() : code.takeError();
      if (bytes) {
        const DimSizeBounds &bounds = *compiled->options.maxDimSizes;
        weights = compiled->manifest.describeWeights();
        if (remarksOnBounds)
          remarks =
              describeCostlyBounds(compiled->manifest, bounds,
                                   "max_batch or max_dim_sizes={'NAME': N}");
        OutputFiles files;
        files.add(object, (*bytes)->getBuffer());
        std::string header = withExtension("h"),
                    manifest = withExtension("json");
        files.add(header, emitCHeader(compiled->manifest, bounds));
        files.add(
            manifest,
            llvm::formatv("{0:2}\n", compiled->manifest.toJSON(bounds)).str());
        llvm::handleAllErrors(
            files.write(),
            [&](const OutputFileError &failed) { fileError = failed; });
      } else {
        errors.text = llvm::toString(bytes.takeError());
      }
    }
  }
  warn(warnings, !errors.text.empty() || fileError);
  if (!errors.text.empty())
    throwCompileError(errors);
  if (fileError)
    fail(*fileError);
  return {weights, remarks};
}

void addProgramFiles(nb::module_ &module) {
  module.def("_has_gpu", &hasGPU, "Returns true if this machine has a GPU.");
  module.def("_compile_traced", &compileTraced, "module"_a, "cache_folder"_a,
             "options"_a,
             "The program of a module, from the cache in a folder where that "
             "is not empty.");
  module.def("_reuse", &reuse, "program"_a, "module"_a);
  module.def(
      "_digest",
      [](const PyModule &self) {
        return runAlone(*self.mutex, [&] {
          return getModuleDigest(*self.module, /*hasLocations=*/false);
        });
      },
      "module"_a, "A text that modules have in common if they are equal.");
  module.def("_export_object", &exportObject, "module"_a, "path"_a, "options"_a,
             "opt_level"_a, "remarks_on_bounds"_a);
}

} // namespace flywheel::python
