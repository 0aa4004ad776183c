//===- ProgramFiles.cpp - Programs in files -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Bindings.h"
#include "Errors.h"

#include "flywheel/Driver/OutputFiles.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Target/CHeader/CHeader.h"
#include "flywheel/Target/Object/ObjectFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace flywheel::python {

[[noreturn]] static void fail(const std::string &text) {
  raise(ErrorKind::Compile, text);
  throw nb::python_error();
}

/// What the object file of a program and its manifest become one file of: a
/// module with nothing but the manifest as text, its length in front.
static std::string pack(mlir::ModuleOp module, llvm::StringRef object) {
  mlir::OwningOpRef<mlir::ModuleOp> described =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(module.getContext()));
  (*described)->setAttr("train.manifest", module->getAttr("train.manifest"));
  std::string text, packed;
  llvm::raw_string_ostream os(text);
  (*described)->print(os);
  uint64_t size = text.size();
  packed.append(reinterpret_cast<const char *>(&size), sizeof(size));
  return packed + text + object.str();
}

static std::unique_ptr<PyProgram> load(nb::bytes packed) {
  llvm::StringRef bytes(packed.c_str(), packed.size());
  uint64_t size = 0;
  if (bytes.size() < sizeof(size))
    fail("the file of a program is too short");
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes = bytes.drop_front(sizeof(size));
  if (size > bytes.size())
    fail("the file of a program is too short");
  auto result = std::make_unique<PyProgram>();
  std::string error;
  {
    nb::gil_scoped_release release;
    result->context = createContext();
    DiagnosticPrinter printer;
    DiagnosticCollector diagnostics(result->context.get(), printer);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        bytes.take_front(size), result->context.get());
    if (module) {
      auto program = Program::load(
          *module,
          llvm::MemoryBuffer::getMemBufferCopy(bytes.drop_front(size)));
      if (program.isOk())
        result->program = std::move(*program);
      else
        error = program.status().message();
    } else {
      error = diagnostics.getErrors();
    }
  }
  if (!result->program)
    fail(error);
  return result;
}

/// The program in a file's form, for this machine.
static nb::bytes save(const PyModule &self, std::optional<int64_t> threads) {
  CompilerOptions options;
  options.inputPath = self.path;
  options.cInterface = false;
  options.threads = threads;
  auto defaultThreads = runtime::getNumThreadsOfEnvironment();
  if (!defaultThreads.isOk())
    throw nb::value_error(defaultThreads.status().message().c_str());
  options.defaultThreads = defaultThreads->value_or(1);
  std::string packed, error;
  std::vector<DiagnosticText> warnings;
  {
    nb::gil_scoped_release release;
    DiagnosticCollector diagnostics(self.context.get(), *self.printer);
    llvm::FailureOr<CompiledModule> compiled = compileModule(
        mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp(*self.module).clone()),
        options);
    warnings = diagnostics.getWarnings();
    if (failed(compiled)) {
      error = diagnostics.getErrors();
    } else {
      CodegenOptions codegen;
      codegen.target = compiled->options.target;
      auto code = MachineModule::create(*compiled->module, codegen);
      if (code) {
        auto object = code->getObject();
        if (object)
          packed = pack(*compiled->module, (*object)->getBuffer());
        else
          error = llvm::toString(object.takeError());
      } else {
        error = llvm::toString(code.takeError());
      }
    }
  }
  for (const DiagnosticText &warning : warnings)
    if (!raiseWarning(warning.severity == mlir::DiagnosticSeverity::Remark,
                      warning.text) &&
        !packed.empty())
      throw nb::python_error();
  if (packed.empty()) {
    PyErr_Clear();
    while (!error.empty() && error.back() == '\n')
      error.pop_back();
    fail(error);
  }
  return nb::bytes(packed.data(), packed.size());
}

/// Writes what `flywheel-compile` does: object, header and manifest.
static void exportObject(const PyModule &self, nb::handle path,
                         const std::optional<std::string> &modelName,
                         const std::string &triple, const std::string &cpu,
                         const std::string &features,
                         const std::map<std::string, int64_t> &maxDimSizes) {
  std::string object = getPath(path);
  auto withExtension = [&](llvm::StringRef extension) {
    llvm::SmallString<128> result(object);
    llvm::sys::path::replace_extension(result, extension);
    return result.str().str();
  };
  CompilerOptions options;
  options.modelName = modelName.value_or("");
  options.target.triple = triple;
  options.target.cpu = cpu;
  options.target.features = features;
  options.maxDimSizes.emplace();
  for (const auto &[name, bound] : maxDimSizes)
    if (llvm::Error error =
            options.maxDimSizes->add(name + "=" + std::to_string(bound)))
      throw nb::value_error(
          ("max_dim_sizes: " + llvm::toString(std::move(error))).c_str());
  std::string error;
  {
    nb::gil_scoped_release release;
    DiagnosticCollector diagnostics(self.context.get(), *self.printer);
    llvm::FailureOr<CompiledModule> compiled = compileModule(
        mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp(*self.module).clone()),
        options);
    if (failed(compiled)) {
      error = diagnostics.getErrors();
    } else {
      CodegenOptions codegen;
      codegen.target = compiled->options.target;
      auto code = MachineModule::create(*compiled->module, codegen);
      auto bytes = code ? code->getObject() : code.takeError();
      if (bytes) {
        const DimSizeBounds &bounds = *compiled->options.maxDimSizes;
        OutputFiles files;
        files.add(object, (*bytes)->getBuffer());
        std::string header = withExtension("h"),
                    manifest = withExtension("json");
        files.add(header, emitCHeader(compiled->manifest, bounds));
        files.add(
            manifest,
            llvm::formatv("{0:2}\n", compiled->manifest.toJSON(bounds)).str());
        if (llvm::Error failed = files.write())
          error = llvm::toString(std::move(failed));
      } else {
        error = llvm::toString(bytes.takeError());
      }
    }
  }
  while (!error.empty() && error.back() == '\n')
    error.pop_back();
  if (!error.empty())
    fail(error);
}

/// What, besides a module, the code for it depends on: this machine.
static std::string describeHost() {
  auto machine = createTargetMachine(CodegenOptions());
  if (!machine)
    fail(llvm::toString(machine.takeError()));
  return (*machine)->getTargetTriple().str() + " " +
         (*machine)->getTargetCPU().str() + " " +
         (*machine)->getTargetFeatureString().str();
}

void addProgramFiles(nb::module_ &module) {
  module.def("_save_program", &save, "module"_a, "threads"_a.none(),
             "Compiles a module to bytes that _load_program takes.");
  module.def("_load_program", &load, "packed"_a);
  module.def("_export_object", &exportObject, "module"_a, "path"_a,
             "model_name"_a.none(), "triple"_a, "cpu"_a, "features"_a,
             "max_dim_sizes"_a);
  module.def("_describe_host", &describeHost);
}

} // namespace flywheel::python
