//===- flywheel-checkpoint.cpp - Show what a checkpoint holds -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/FormatTensor.h"
#include "flywheel/Runtime/JsonString.h"
#include "flywheel/Runtime/Safetensors.h"

#include <algorithm>
#include <cstdio>

using namespace flywheel::runtime;

namespace {

constexpr const char *helpText =
    R"(usage: flywheel-checkpoint FILE [--values] [NAME...]

Lists the tensors of a checkpoint (or of any safetensors file): name, dtype,
shape and size in bytes, then the metadata. With names, lists those tensors only
and no metadata.

  --values   also print the values. Floating-point numbers are the shortest
             decimals that read back to the same value.
  --help     print this text
  --         what follows is FILE or a NAME, even if it begins with '-'

Exit status: 0, or 1 after an error, which is printed to standard error.
)";

struct Options {
  std::string file;
  std::vector<std::string> names;
  bool values = false;
};

int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
}

void print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// \p name as it is, or quoted where that could be misread or harm a terminal.
std::string displayName(const std::string &name) {
  std::string quoted = quoteJson(name);
  bool isPlain = !name.empty() && quoted.size() == name.size() + 2 &&
                 name.find(' ') == std::string::npos;
  return isPlain ? name : quoted;
}

void printTensors(const SafetensorsFile &file,
                  const std::vector<const TensorInfo *> &tensors, bool values) {
  size_t nameWidth = 0, shapeWidth = 0;
  for (const TensorInfo *info : tensors) {
    nameWidth = std::max(nameWidth, displayName(info->name).size());
    shapeWidth = std::max(shapeWidth, formatShape(info->shape).size());
  }
  // One absurd name should not indent everything else off the screen.
  nameWidth = std::min<size_t>(nameWidth, 60);
  shapeWidth = std::min<size_t>(shapeWidth, 40);
  for (const TensorInfo *info : tensors) {
    auto padded = [](std::string text, size_t width) {
      if (text.size() < width)
        text.resize(width, ' ');
      return text;
    };
    print(padded(displayName(info->name), nameWidth) + "  " +
          padded(std::string(numpyName(info->dtype)), 8) + "  " +
          padded(formatShape(info->shape), shapeWidth) + "  " +
          std::to_string(info->byteSize()) + " bytes\n");
    if (values)
      formatTensor(info->dtype, info->shape, file.data(*info), print);
  }
}

void printMetadata(const SafetensorsFile &file) {
  if (file.metadata().empty())
    return;
  print("metadata:\n");
  for (const auto &[key, value] : file.metadata())
    print("  " + displayName(key) + " = " + quoteJson(value) + "\n");
}

int run(const Options &options) {
  Result<SafetensorsFile> file = SafetensorsFile::open(options.file);
  if (!file.isOk())
    return fail(file.status().message());
  std::vector<const TensorInfo *> tensors;
  for (const TensorInfo &info : file->tensors())
    if (options.names.empty())
      tensors.push_back(&info);
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorInfo *a, const TensorInfo *b) {
              return a->name < b->name;
            });
  for (const std::string &name : options.names) {
    const TensorInfo *info = file->find(name);
    if (!info)
      return fail("Key " + name + " not found in checkpoint '" + options.file +
                  "'");
    tensors.push_back(info);
  }
  printTensors(*file, tensors, options.values);
  if (options.names.empty())
    printMetadata(*file);
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail("can't write to standard output");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  bool hasFile = false, onlyOperands = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (!onlyOperands && argument == "--") {
      onlyOperands = true;
    } else if (!onlyOperands && (argument == "--help" || argument == "-h")) {
      print(helpText);
      return 0;
    } else if (!onlyOperands && argument == "--values") {
      options.values = true;
    } else if (!onlyOperands && argument.size() > 1 && argument[0] == '-') {
      return fail("unknown option '" + argument + "', see --help");
    } else if (!hasFile) {
      options.file = argument;
      hasFile = true;
    } else {
      options.names.push_back(argument);
    }
  }
  if (!hasFile)
    return fail("no FILE given, see --help");
  return run(options);
}
