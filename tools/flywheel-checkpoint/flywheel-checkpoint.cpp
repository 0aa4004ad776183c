//===- flywheel-checkpoint.cpp - Show what a checkpoint holds -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "flywheel/Runtime/CheckpointState.h"
#include "flywheel/Runtime/Checksums.h"
#include "flywheel/Runtime/FormatTensor.h"
#include "flywheel/Runtime/JsonString.h"
#include "flywheel/Runtime/Safetensors.h"
#include "flywheel/Runtime/StringTensor.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fnmatch.h>
#include <memory>
#include <new>
#include <sys/stat.h>

using namespace flywheel::runtime;

constexpr const char *helpText =
    R"(usage: flywheel-checkpoint FILE [--values] [--verify] [NAME...]
       flywheel-checkpoint --state DIR [--state-file=FILENAME]

Lists the tensors of a checkpoint (or of any safetensors file): name, dtype,
shape and size in bytes, then the metadata. Strings, which are two tensors
NAME:bytes and NAME:lengths of the file, are one, NAME, of dtype string. With
names, lists those tensors only and no metadata. A NAME may be a pattern of the
shell, such as 'layer/*'.

  --values   also print the values. Floating-point numbers are the shortest
             decimals that read back to the same value. Data whose checksum
             is not that of the file is an error.
  --verify   check the checksums of what is listed, and say so
  --state    list a directory instead: its latest checkpoint and those that are
             retained, oldest first, with the times (UTC) at which they were
             saved, by its state file
  --state-file=FILENAME
             the name of the state file, by default checkpoint
  --help     print this text
  --         what follows is FILE or a NAME, even if it begins with '-'

Exit status: 0, or 1 after an error, which is printed to standard error.
)";

namespace {
struct Options {
  std::string file;
  std::vector<std::string> names;
  bool values = false, verify = false;
  /// True if `file` is a directory.
  bool state = false;
  std::string stateFile = defaultStateFile;
};
} // namespace

static int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
}

static void print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

static std::string padded(std::string text, size_t width) {
  if (text.size() < width)
    text.resize(width, ' ');
  return text;
}

static Status printStrings(const SafetensorsReader &file,
                           const TensorInfo &info) {
  Result<StringTensor> tensor = readStringTensor(file, info.name);
  if (!tensor.isOk())
    return tensor.status();
  // `readStringTensor` has checked the lengths.
  Result<std::vector<std::string_view>> texts = unpackStrings(*tensor);
  formatTensor(DType::String, info.shape, texts->data(), print);
  return Status();
}

static Status printValues(const SafetensorsReader &file,
                          const TensorInfo &info) {
  if (info.dtype == DType::String)
    return printStrings(file, info);
  std::unique_ptr<std::byte[]> data(new (std::nothrow)
                                        std::byte[info.byteSize()]);
  if (!data)
    return Status::resourceExhausted("no memory for the " +
                                     std::to_string(info.byteSize()) +
                                     " bytes of " + info.name);
  if (Status status = file.read(info.begin, info.byteSize(), data.get());
      !status.isOk())
    return status;
  formatTensor(info.dtype, info.shape, data.get(), print);
  return Status();
}

/// Checks the data that \p info, which may be strings, is listed for.
static Status verify(const SafetensorsReader &file, const Checksums &checksums,
                     const TensorInfo &info) {
  if (info.dtype != DType::String)
    return checksums.verify(file, info);
  StringTensorInfo strings = *findStrings(file, info.name);
  for (const TensorInfo *part : {strings.lengths, strings.bytes})
    if (Status status = checksums.verify(file, *part); !status.isOk())
      return status;
  return Status();
}

static Status printTensors(const SafetensorsReader &file,
                           const Checksums &checksums,
                           const std::vector<const TensorInfo *> &tensors,
                           const Options &options) {
  size_t nameWidth = 0, shapeWidth = 0;
  for (const TensorInfo *info : tensors) {
    nameWidth = std::max(nameWidth, displayName(info->name).size());
    shapeWidth = std::max(shapeWidth, formatShape(info->shape).size());
  }
  // One absurdly long name should not indent all others off the screen.
  nameWidth = std::min<size_t>(nameWidth, 60);
  shapeWidth = std::min<size_t>(shapeWidth, 40);
  for (const TensorInfo *info : tensors) {
    print(padded(displayName(info->name), nameWidth) + "  " +
          padded(std::string(numpyName(info->dtype)), 8) + "  " +
          padded(formatShape(info->shape), shapeWidth) + "  " +
          std::to_string(info->byteSize()) + " bytes\n");
    if (options.values || options.verify)
      if (Status status = verify(file, checksums, *info); !status.isOk())
        return status;
    if (!options.values)
      continue;
    if (Status status = printValues(file, *info); !status.isOk())
      return status;
  }
  return Status();
}

static void printMetadata(const SafetensorsReader &file) {
  if (file.metadata().empty())
    return;
  print("metadata:\n");
  for (const auto &[key, value] : file.metadata())
    if (key != checksumsKey)
      print("  " + displayName(key) + " = " + quoteJson(value) + "\n");
}

/// Returns the tensors of \p file, by name. Strings are one tensor, of dtype
/// String and the size of their bytes.
static std::vector<TensorInfo> listEntries(const SafetensorsReader &file) {
  std::vector<TensorInfo> entries;
  for (const TensorInfo &info : file.tensors()) {
    std::optional<std::string_view> name = getStringsName(file, info);
    if (!name) {
      entries.push_back(info);
    } else if (info.dtype == DType::I64) {
      TensorInfo strings = *findStrings(file, *name)->bytes;
      strings.name = std::string(*name);
      strings.dtype = DType::String;
      strings.shape = info.shape;
      entries.push_back(std::move(strings));
    }
  }
  std::sort(
      entries.begin(), entries.end(),
      [](const TensorInfo &a, const TensorInfo &b) { return a.name < b.name; });
  return entries;
}

/// Returns the error `Key NAME not found`, with some of the existing names.
static Status keyNotFound(const std::string &name, const std::string &path,
                          const std::vector<TensorInfo> &all) {
  std::string text = "Key " + name + " not found in checkpoint '" + path +
                     "'; it has: " + (all.empty() ? "none" : "");
  for (size_t i = 0; i < all.size() && i < 20; ++i)
    text += (i ? ", " : "") + displayName(all[i].name);
  return Status::notFound(all.size() > 20 ? text + ", ..." : text);
}

/// Returns those of \p all whose name, or a pattern for it, is in \p names.
static Result<std::vector<const TensorInfo *>>
selectTensors(const std::vector<TensorInfo> &all,
              const std::vector<std::string> &names, const std::string &path) {
  std::vector<const TensorInfo *> selected;
  if (names.empty())
    for (const TensorInfo &info : all)
      selected.push_back(&info);
  for (const std::string &name : names) {
    // The runtime does not use LLVM's algorithms.
    auto found =
        std::find_if(all.begin(), all.end(), // NOLINT(llvm-use-ranges)
                     [&](const TensorInfo &info) { return info.name == name; });
    if (found != all.end()) {
      selected.push_back(&*found);
      continue;
    }
    size_t numBefore = selected.size();
    for (const TensorInfo &info : all)
      if (fnmatch(name.c_str(), info.name.c_str(), 0) == 0)
        selected.push_back(&info);
    if (selected.size() == numBefore)
      return keyNotFound(name, path, all);
  }
  return selected;
}

static int finish() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail("can't write to standard output");
  return 0;
}

static bool isDirectory(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

static int listTensors(const Options &options) {
  Result<SafetensorsReader> file = SafetensorsReader::open(options.file);
  if (!file.isOk())
    return fail(file.status().message() + (isDirectory(options.file)
                                               ? "; --state lists a directory"
                                               : ""));
  std::vector<TensorInfo> entries = listEntries(*file);
  Result<std::vector<const TensorInfo *>> tensors =
      selectTensors(entries, options.names, file->path());
  if (!tensors.isOk())
    return fail(tensors.status().message());
  Result<Checksums> checksums = Checksums::read(*file);
  if (!checksums.isOk())
    return fail(checksums.status().message());
  if (Status status = printTensors(*file, *checksums, *tensors, options);
      !status.isOk())
    return fail(status.message());
  if (options.names.empty())
    printMetadata(*file);
  if (options.verify)
    print(checksums->exist() ? "checksums: right\n" : "checksums: none\n");
  return finish();
}

/// Returns the time as `2026-01-31 12:00:00`, in UTC.
static std::string formatTime(double seconds) {
  // Years of four digits.
  if (!(seconds >= 0 && seconds < 253402300800.0))
    return "at an unknown time";
  time_t whole = time_t(seconds);
  struct tm parts;
  char text[64];
  if (!gmtime_r(&whole, &parts) ||
      !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts))
    return "at an unknown time";
  return text;
}

static std::string describeFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return "missing";
  return std::to_string(info.st_size) + " bytes";
}

static int listState(const Options &options) {
  if (!options.names.empty() || options.values || options.verify)
    return fail("--state lists a directory; for tensors give a checkpoint's "
                "FILE, without --state");
  Result<CheckpointState> state =
      readCheckpointState(options.file, options.stateFile);
  if (!state.isOk())
    return fail(state.status().message());
  print("latest: " +
        (state->latest.empty() ? "none" : displayName(state->latest)) + "\n");
  size_t width = 0;
  for (const std::string &path : state->retained)
    width = std::max(width, displayName(path).size());
  print("retained:\n");
  for (size_t i = 0; i < state->retained.size(); ++i)
    print("  " + padded(displayName(state->retained[i]), width) + "  " +
          (state->times.empty() ? "" : formatTime(state->times[i]) + "  ") +
          describeFile(state->retained[i]) + "\n");
  if (state->lastPreserved)
    print("last preserved: " + formatTime(*state->lastPreserved) + "\n");
  return finish();
}

int flywheel::tools::checkpointMain(int argc, char **argv) {
  Options options;
  bool hasFile = false, onlyOperands = false, hasStateFile = false;
  const std::string stateFileOption = "--state-file=";
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (!onlyOperands && argument == "--") {
      onlyOperands = true;
    } else if (!onlyOperands && (argument == "--help" || argument == "-h")) {
      print(helpText);
      return 0;
    } else if (!onlyOperands && argument == "--values") {
      options.values = true;
    } else if (!onlyOperands && argument == "--verify") {
      options.verify = true;
    } else if (!onlyOperands && argument == "--state") {
      options.state = true;
    } else if (!onlyOperands && argument.rfind(stateFileOption, 0) == 0) {
      options.stateFile = argument.substr(stateFileOption.size());
      hasStateFile = true;
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
  if (hasStateFile && !options.state)
    return fail("--state-file is an option of --state, see --help");
  if (options.stateFile.empty())
    return fail("--state-file: expected a name, found an empty one");
  return options.state ? listState(options) : listTensors(options);
}
