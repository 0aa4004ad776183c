//===- Options.cpp - Options of compilations in Python --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Arguments.h"

#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Runtime/WorkerTeam.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace flywheel::python {

static OptionValue toValue(const OptionInfo &option, nb::handle value) {
  if (value.is_none())
    return {};
  if (option.isFlag())
    return nb::cast<bool>(value);
  if (std::holds_alternative<NumberKind>(option.kind))
    return getInteger(value);
  if (option.isList()) {
    std::vector<std::string> texts;
    for (nb::handle text : value)
      texts.push_back(getText(text, option.name.data()));
    return texts;
  }
  const auto *text = std::get_if<TextKind>(&option.kind);
  return text && text->isPath ? getPath(value)
                              : getText(value, option.name.data());
}

static void check(llvm::Error error) {
  if (error)
    throw nb::value_error(llvm::toString(std::move(error)).c_str());
}

CompilerOptions readOptions(const nb::dict &given) {
  CompilerOptions options;
  for (auto [key, value] : given) {
    std::string name = getText(key, "the name of an option");
    const OptionInfo *option = findOption(name);
    if (!option)
      throw nb::type_error(("there is no option '" + name + "'").c_str());
    if (llvm::Error error = option->set(options, toValue(*option, value)))
      check(llvm::createStringError(name + ": " +
                                    llvm::toString(std::move(error))));
  }
  check(checkOptions(
      options, [](const OptionInfo &option) { return option.name.str(); }));
  auto threads = runtime::getDefaultThreads();
  if (!threads.isOk())
    throw nb::value_error(threads.status().message().c_str());
  options.threads.byDefault = *threads;
  return options;
}

static nb::handle getType(const OptionInfo &option) {
  if (option.isFlag())
    return reinterpret_cast<PyObject *>(&PyBool_Type);
  if (std::holds_alternative<NumberKind>(option.kind))
    return reinterpret_cast<PyObject *>(&PyLong_Type);
  return option.isList() ? reinterpret_cast<PyObject *>(&PyList_Type)
                         : reinterpret_cast<PyObject *>(&PyUnicode_Type);
}

void addOptions(nb::module_ &module) {
  module.attr("_MAX_DIM_SIZE_BOUND") = kMaxDimSizeBound;
  module.def(
      "_options",
      [] {
        nb::dict options;
        for (const OptionInfo &option : getOptionTable())
          options[option.name.data()] =
              nb::make_tuple(nb::borrow(getType(option)),
                             option.expected.data(), option.isOptional());
        return options;
      },
      "The options of a compilation: of each its type, a value in words, and "
      "if it may be None.");
  module.def(
      "_takes_device",
      [](const std::string &device) {
        TargetOptions options;
        options.device = device;
        auto backend = findBackendOfDevice(options);
        if (!backend)
          llvm::consumeError(backend.takeError());
        return bool(backend);
      },
      "device"_a, "Returns true if a back end compiles for the device.");
}

} // namespace flywheel::python
