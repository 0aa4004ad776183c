//===- Diagnostics.cpp - How diagnostics read -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Diagnostics.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using llvm::raw_ostream;
using llvm::StringRef;
using ArgumentKind = DiagnosticArgument::DiagnosticArgumentKind;

namespace flywheel {

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Appends the places of `location`: that of the op, then those of the calls
/// through which it was inlined, from the inside to the outside.
static void collectFrames(Location location,
                          SmallVectorImpl<FileLineColRange> &frames) {
  if (auto file = dyn_cast<FileLineColRange>(location)) {
    frames.push_back(file);
  } else if (auto named = dyn_cast<NameLoc>(location)) {
    collectFrames(named.getChildLoc(), frames);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectFrames(call.getCallee(), frames);
    collectFrames(call.getCaller(), frames);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(location)) {
    collectFrames(opaque.getFallbackLocation(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    // A fused op has the location of its first part that has one.
    size_t before = frames.size();
    for (Location part : fused.getLocations()) {
      collectFrames(part, frames);
      if (frames.size() > before)
        return;
    }
  }
}

/// Returns the name of a location without a file position; empty without one.
static StringRef findName(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named || named.getName() == kBackwardMark)
      return WalkResult::advance();
    name = named.getName().getValue();
    return WalkResult::interrupt();
  });
  return name;
}

static void printPlace(FileLineColRange place, raw_ostream &os) {
  os << place.getFilename().getValue();
  if (place.getStartLine() > 0) {
    os << ":" << place.getStartLine();
    if (place.getStartColumn() > 0)
      os << ":" << place.getStartColumn();
  }
  os << ": ";
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Returns `text` without its middle if it is longer than `length`.
static std::string shorten(StringRef text, size_t length) {
  if (text.size() <= length)
    return text.str();
  constexpr size_t tail = 24;
  return (text.take_front(length - tail) + "..." + text.take_back(tail)).str();
}

static std::string formatArgument(const DiagnosticArgument &argument) {
  // Enough for the type of a function of a few tensors.
  constexpr size_t longestType = 240, longestText = 2000;
  if (argument.getKind() == ArgumentKind::String) {
    StringRef text = argument.getAsString();
    // More than a few lines are an operation with its regions.
    StringRef line = text;
    if (text.count('\n') > 8)
      line = text.ltrim('\n').split('\n').first;
    return shorten(line, longestText) + (line == text ? "" : " ...");
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (argument.getKind() == ArgumentKind::Attribute &&
      argument.getAsAttribute()) {
    Attribute attribute = argument.getAsAttribute();
    AsmState state(attribute.getContext(),
                   OpPrintingFlags().elideLargeElementsAttrs());
    attribute.print(os, state);
  } else {
    argument.print(os);
  }
  return shorten(text, longestType);
}

/// Replaces the name of the lowered op in `message` by `name`, that of the op
/// that the user wrote: `'nn.matmul' op expected` becomes `'nn.attention' op
/// expected`.
static std::string nameSourceOp(StringRef message, StringRef name) {
  StringRef rest = message;
  if (name.empty() || !rest.consume_front("'"))
    return message.str();
  StringRef own = rest.take_until([](char c) { return c == '\''; });
  rest = rest.drop_front(own.size());
  if (!own.contains('.') || !rest.starts_with("' op "))
    return message.str();
  return ("'" + name + rest).str();
}

std::string formatMessage(const Diagnostic &diagnostic) {
  std::string message;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    message += formatArgument(argument);
  return nameSourceOp(StringRef(message).rtrim('\n'),
                      getOpName(diagnostic.getLocation()));
}

/// Returns the words of a message: what the compiler has put in their places,
/// such as the name of a variable, differs in messages of one kind.
static std::string getKind(const Diagnostic &diagnostic) {
  std::string kind;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    kind += argument.getKind() == ArgumentKind::String
                ? argument.getAsString().str()
                : "\1";
  return kind;
}

/// Returns the name of the op that `emitOpError` has put in front of a message.
static std::string findOpName(const Diagnostic &diagnostic) {
  ArrayRef<DiagnosticArgument> all = diagnostic.getArguments();
  auto isText = [](const DiagnosticArgument &argument) {
    return argument.getKind() == ArgumentKind::String;
  };
  if (all.size() < 3 || !llvm::all_of(all.take_front(3), isText) ||
      all[0].getAsString() != "'" || all[2].getAsString() != "' op ")
    return "";
  StringRef source = getOpName(diagnostic.getLocation());
  return (source.empty() ? all[1].getAsString() : source).str();
}

std::optional<OperandMismatch>
findOperandMismatch(const Diagnostic &diagnostic) {
  // "operand", " #", number, " must be <types>, but got ", type
  ArrayRef<DiagnosticArgument> all = diagnostic.getArguments();
  if (all.size() < 5)
    return std::nullopt;
  all = all.take_back(5);
  if (all[0].getKind() != ArgumentKind::String ||
      all[0].getAsString() != "operand" ||
      all[2].getKind() != ArgumentKind::Unsigned ||
      all[3].getKind() != ArgumentKind::String ||
      all[4].getKind() != ArgumentKind::Type)
    return std::nullopt;
  StringRef message = all[3].getAsString();
  if (!message.consume_front(" must be ") ||
      !message.consume_back(", but got "))
    return std::nullopt;
  std::string type;
  llvm::raw_string_ostream(type) << all[4].getAsType();
  return OperandMismatch{static_cast<unsigned>(all[2].getAsUnsigned()),
                         message.str(), type};
}

static raw_ostream &printSeverity(DiagnosticSeverity severity,
                                  raw_ostream &os) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return llvm::WithColor::error(os);
  case DiagnosticSeverity::Warning:
    return llvm::WithColor::warning(os);
  case DiagnosticSeverity::Note:
    return llvm::WithColor::note(os);
  case DiagnosticSeverity::Remark:
    return llvm::WithColor::remark(os);
  }
  return os;
}

//===----------------------------------------------------------------------===//
// DiagnosticPrinter
//===----------------------------------------------------------------------===//

llvm::MemoryBufferRef
DiagnosticPrinter::addSource(std::unique_ptr<llvm::MemoryBuffer> source) {
  llvm::MemoryBufferRef text = *source;
  sources[text.getBufferIdentifier()] = std::move(source);
  return text;
}

const llvm::MemoryBuffer *DiagnosticPrinter::findSource(StringRef name) {
  auto [entry, isNew] = sources.try_emplace(name);
  // A location may have any name: one of a pipe or a device is not read.
  if (isNew && llvm::sys::fs::is_regular_file(name))
    if (auto file = llvm::MemoryBuffer::getFile(name))
      entry->second = std::move(*file);
  return entry->second.get();
}

void DiagnosticPrinter::printSourceLine(FileLineColRange location,
                                        raw_ostream &os) {
  const llvm::MemoryBuffer *source =
      findSource(location.getFilename().getValue());
  unsigned number = location.getStartLine();
  unsigned column = location.getStartColumn();
  if (!source || number == 0 || column == 0)
    return;
  StringRef line = source->getBuffer();
  for (unsigned i = 1; i < number && !line.empty(); ++i)
    line = line.split('\n').second;
  line = line.split('\n').first.rtrim();
  // A longer line was written by a program and helps nobody.
  constexpr size_t longestLine = 400;
  if (line.empty() || column > line.size() || line.size() > longestLine)
    return;
  os << line << "\n";
  for (char c : line.take_front(column - 1))
    os << (c == '\t' ? '\t' : ' ');
  os << "^\n";
}

void DiagnosticPrinter::printHead(Location location,
                                  DiagnosticSeverity severity,
                                  raw_ostream &os) {
  SmallVector<FileLineColRange> frames;
  collectFrames(location, frames);
  if (!frames.empty())
    printPlace(frames.front(), os);
  else if (StringRef name = findName(location); !name.empty())
    os << "'" << name << "': ";
  printSeverity(severity, os);
}

void DiagnosticPrinter::printMessage(Location location,
                                     DiagnosticSeverity severity,
                                     StringRef message, bool showsPlace,
                                     raw_ostream &os) {
  SmallVector<FileLineColRange> frames;
  collectFrames(location, frames);
  printHead(location, severity, os);
  os << message << "\n";
  if (frames.empty() || !showsPlace)
    return;
  printSourceLine(frames.front(), os);
  constexpr size_t mostCalls = 10;
  for (auto [index, caller] : llvm::enumerate(llvm::drop_begin(frames))) {
    if (index == mostCalls) {
      printSeverity(DiagnosticSeverity::Note, os)
          << "and " << frames.size() - 1 - mostCalls << " more calls\n";
      break;
    }
    printPlace(caller, os);
    printSeverity(DiagnosticSeverity::Note, os) << "called from here\n";
    printSourceLine(caller, os);
  }
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic, bool showsPlace,
                              raw_ostream &os) {
  printMessage(diagnostic.getLocation(), diagnostic.getSeverity(),
               formatMessage(diagnostic), showsPlace, os);
  // A note on the same place need not show it again.
  for (const Diagnostic &note : diagnostic.getNotes())
    print(note, note.getLocation() != diagnostic.getLocation(), os);
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic, raw_ostream &os) {
  print(diagnostic, /*showsPlace=*/true, os);
}

//===----------------------------------------------------------------------===//
// DiagnosticCollector
//===----------------------------------------------------------------------===//

DiagnosticCollector::DiagnosticCollector(MLIRContext *context,
                                         DiagnosticPrinter &printer)
    : handler(context, [this, &printer](Diagnostic &diagnostic) {
        std::string text, head;
        llvm::raw_string_ostream os(text), headStream(head);
        printer.print(diagnostic, os);
        printer.printHead(diagnostic.getLocation(), diagnostic.getSeverity(),
                          headStream);
        diagnostics.push_back({diagnostic.getSeverity(),
                               StringRef(text).rtrim('\n').str(), head.size(),
                               formatMessage(diagnostic).size(),
                               findOperandMismatch(diagnostic),
                               findOpName(diagnostic), getKind(diagnostic)});
        if (std::optional<ErrorDetail> detail = findDetail(diagnostic))
          details.push_back(std::move(*detail));
      }) {}

std::string DiagnosticCollector::getErrors() const {
  std::string text;
  for (const DiagnosticText &diagnostic : diagnostics)
    if (diagnostic.severity == DiagnosticSeverity::Error)
      text += (text.empty() ? "" : "\n") + diagnostic.text;
  return text;
}

const DiagnosticText *DiagnosticCollector::getFirstError() const {
  auto found = llvm::find_if(diagnostics, [](const DiagnosticText &diagnostic) {
    return diagnostic.severity == DiagnosticSeverity::Error;
  });
  return found == diagnostics.end() ? nullptr : &*found;
}

std::vector<DiagnosticText> DiagnosticCollector::getWarnings() const {
  // The first one of each kind and place, and the number of the others.
  std::vector<DiagnosticText> warnings;
  std::vector<unsigned> others;
  llvm::StringMap<size_t> known;
  for (const DiagnosticText &diagnostic : diagnostics) {
    if (diagnostic.severity == DiagnosticSeverity::Error)
      continue;
    std::string key = diagnostic.text.substr(0, diagnostic.messageBegin) +
                      '\0' + diagnostic.kind;
    auto [it, isNew] = known.try_emplace(key, warnings.size());
    if (!isNew) {
      ++others[it->second];
      continue;
    }
    warnings.push_back(diagnostic);
    others.push_back(0);
  }
  for (auto [warning, count] : llvm::zip_equal(warnings, others))
    if (count)
      warning.text.insert(warning.messageBegin + warning.messageSize,
                          ", and " + std::to_string(count) + " more like this");
  return warnings;
}

} // namespace flywheel
