//===- CheckpointState.cpp - State file of checkpoints --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/CheckpointState.h"

#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/FileDescriptor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

using namespace flywheel::runtime;

/// The maximum size of a state file; a larger file is something else.
constexpr size_t maxStateBytes = 64 << 20;

constexpr std::string_view latestField = "model_checkpoint_path";

constexpr std::string_view retainedField = "all_model_checkpoint_paths";

constexpr std::string_view timesField = "all_model_checkpoint_timestamps";

constexpr std::string_view lastPreservedField = "last_preserved_timestamp";

/// \p text as a string literal of the text form: other bytes than printable
/// ASCII are octal escapes.
static std::string quoteText(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '\'') {
      literal += '\\';
      literal += c;
    } else if (c >= 0x20 && c < 0x7f) {
      literal += c;
    } else {
      literal += '\\';
      for (int shift : {6, 3, 0})
        literal += char('0' + ((static_cast<unsigned char>(c) >> shift) & 7));
    }
  }
  return literal + '"';
}

static std::string formatSeconds(double seconds) {
  // The longest is -2.2250738585072014e-308.
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), seconds).ptr};
}

namespace {
/// A parser of the part of the text form that the message needs: lines of
/// `field: value` with any space, separators and comments.
class StateParser {
public:
  explicit StateParser(std::string_view text) : text(text) {}

  Result<CheckpointState> parse() {
    CheckpointState state;
    while (skipSpace(), position < text.size())
      if (!parseField(state))
        return Status::dataLoss("line " + std::to_string(line) + ": " + reason);
    if (!state.times.empty() && state.times.size() != state.retained.size())
      return Status::dataLoss(
          "it has " + std::to_string(state.times.size()) + " times for " +
          std::to_string(state.retained.size()) + " checkpoints");
    return state;
  }

private:
  bool fail(std::string text) {
    reason = std::move(text);
    return false;
  }

  char peek() const { return position < text.size() ? text[position] : '\0'; }

  void skipSpace() {
    for (; position < text.size(); ++position) {
      char c = text[position];
      if (c == '#')
        position = std::min(text.find('\n', position), text.size() - 1);
      else if (!std::strchr(" \t\r\n\v\f", c) || c == '\0')
        return;
      if (text[position] == '\n')
        ++line;
    }
  }

  std::string_view takeWhile(std::string_view allowed) {
    size_t end =
        std::min(text.find_first_not_of(allowed, position), text.size());
    std::string_view word = text.substr(position, end - position);
    position = end;
    return word;
  }

  bool parseField(CheckpointState &state) {
    std::string_view field = takeWhile("abcdefghijklmnopqrstuvwxyz_");
    if (field.empty())
      return fail("expected the name of a field");
    skipSpace();
    if (peek() != ':')
      return fail("expected ':' after '" + std::string(field) + "'");
    ++position;
    skipSpace();
    if (!parseValue(field, state))
      return false;
    skipSpace();
    if (peek() == ',' || peek() == ';')
      ++position;
    return true;
  }

  bool parseValue(std::string_view field, CheckpointState &state) {
    std::string path;
    double seconds = 0;
    if (field == latestField)
      return parseString(state.latest);
    if (field == retainedField) {
      if (!parseString(path))
        return false;
      state.retained.push_back(std::move(path));
      return true;
    }
    if (field == timesField) {
      if (!parseNumber(seconds))
        return false;
      state.times.push_back(seconds);
      return true;
    }
    if (field == lastPreservedField) {
      if (!parseNumber(seconds))
        return false;
      state.lastPreserved = seconds;
      return true;
    }
    return fail("unknown field '" + std::string(field) + "'");
  }

  bool parseNumber(double &number) {
    std::string_view word = takeWhile("0123456789.+-eE");
    std::from_chars_result end =
        std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || end.ec != std::errc() ||
        end.ptr != word.data() + word.size() || !std::isfinite(number))
      return fail("expected a finite number");
    return true;
  }

  /// Parses one or more literals, which are one string.
  bool parseString(std::string &value) {
    value.clear();
    if (peek() != '"' && peek() != '\'')
      return fail("expected a string");
    while (peek() == '"' || peek() == '\'') {
      char quote = text[position++];
      while (peek() != quote) {
        if (position == text.size() || peek() == '\n')
          return fail("a string has no end");
        if (!parseCharacter(value))
          return false;
      }
      ++position;
      skipSpace();
    }
    return true;
  }

  bool parseCharacter(std::string &value) {
    char c = text[position++];
    if (c != '\\') {
      value += c;
      return true;
    }
    char kind = peek();
    constexpr std::string_view kinds = "abfnrtv\\'\"?";
    constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"?";
    if (size_t index = kinds.find(kind);
        index != std::string_view::npos && position < text.size()) {
      ++position;
      value += meanings[index];
      return true;
    }
    if (kind == 'x') {
      ++position;
      return parseCode(value, 16, 2);
    }
    return parseCode(value, 8, 3);
  }

  /// Parses a byte as up to \p maxDigits digits.
  bool parseCode(std::string &value, int base, size_t maxDigits) {
    std::string_view digits = text.substr(position, maxDigits);
    unsigned code = 0;
    std::from_chars_result end = std::from_chars(
        digits.data(), digits.data() + digits.size(), code, base);
    if (end.ec != std::errc() || code > 0xff)
      return fail("unknown escape sequence in a string");
    position += size_t(end.ptr - digits.data());
    value += char(code);
    return true;
  }

  std::string_view text;
  size_t position = 0;
  size_t line = 1;
  /// The reason for which parsing stopped.
  std::string reason;
};
} // namespace

static Result<std::string> readSmallFile(const std::string &path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    std::string reason = "can't read '" + path + "': " + std::strerror(errno);
    return errno == ENOENT || errno == ENOTDIR ? Status::notFound(reason)
                                               : Status::ioError(reason);
  }
  if (!S_ISREG(info.st_mode))
    return Status::ioError("can't read '" + path + "': not a regular file");
  std::string bytes;
  char buffer[4096];
  while (true) {
    ssize_t got = read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Status::ioError("can't read '" + path +
                             "': " + std::strerror(errno));
    if (got == 0)
      return bytes;
    bytes.append(buffer, size_t(got));
    if (bytes.size() > maxStateBytes)
      return Status::dataLoss("'" + path + "' is too large for a state file");
  }
}

std::string
flywheel::runtime::formatCheckpointState(const CheckpointState &state) {
  std::string text;
  auto add = [&](std::string_view field, const std::string &value) {
    text += std::string(field) + ": " + value + "\n";
  };
  add(latestField, quoteText(state.latest));
  for (const std::string &path : state.retained)
    add(retainedField, quoteText(path));
  for (double time : state.times)
    add(timesField, formatSeconds(time));
  if (state.lastPreserved)
    add(lastPreservedField, formatSeconds(*state.lastPreserved));
  return text;
}

Result<CheckpointState>
flywheel::runtime::parseCheckpointState(std::string_view text) {
  return StateParser(text).parse();
}

Status flywheel::runtime::checkStateFileName(const std::string &stateFile) {
  if (isTemporaryName(stateFile))
    return Status::invalidArgument("the state file can't be called '" +
                                   stateFile +
                                   "': temporary files have such names");
  if (!stateFile.empty() && stateFile != "." && stateFile != ".." &&
      stateFile.find('/') == std::string::npos &&
      stateFile.find('\0') == std::string::npos)
    return Status();
  return Status::invalidArgument(
      "the name of the state file must not contain path components, found '" +
      stateFile + "'");
}

std::string flywheel::runtime::joinPath(const std::string &directory,
                                        const std::string &name) {
  if (directory.empty())
    return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

Result<CheckpointState>
flywheel::runtime::readCheckpointState(const std::string &directory,
                                       const std::string &stateFile) {
  if (Status status = checkStateFileName(stateFile); !status.isOk())
    return status;
  std::string path = joinPath(directory, stateFile);
  Result<std::string> text = readSmallFile(path);
  if (!text.isOk())
    return text.status();
  Result<CheckpointState> state = parseCheckpointState(*text);
  if (!state.isOk())
    return Status(state.status().code(), "'" + path +
                                             "' is not a valid state file: " +
                                             state.status().message());
  auto resolve = [&](std::string &checkpoint) {
    if (!checkpoint.empty() && checkpoint.front() != '/')
      checkpoint = joinPath(directory, checkpoint);
  };
  resolve(state->latest);
  for (std::string &checkpoint : state->retained)
    resolve(checkpoint);
  return state;
}

std::optional<CheckpointState>
flywheel::runtime::getCheckpointState(const std::string &directory,
                                      const std::string &stateFile) {
  Result<CheckpointState> state = readCheckpointState(directory, stateFile);
  if (!state.isOk())
    return std::nullopt;
  return std::move(*state);
}

std::optional<std::string>
flywheel::runtime::latestCheckpoint(const std::string &directory,
                                    const std::string &stateFile) {
  std::optional<CheckpointState> state =
      getCheckpointState(directory, stateFile);
  struct stat info;
  if (!state || state->latest.empty() ||
      stat(state->latest.c_str(), &info) != 0)
    return std::nullopt;
  return state->latest;
}

std::optional<std::string>
flywheel::runtime::locateLatestCheckpoint(const std::string &directory,
                                          const std::string &stateFile) {
  std::optional<CheckpointState> state =
      getCheckpointState(directory, stateFile);
  if (!state || state->latest.empty())
    return std::nullopt;
  return joinPath(directory, lastComponent(state->latest));
}
