//===- StageCheck.cpp - Diagnostics of the stages of compilation ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageCheck.h"

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/VerifySource.h"
#include "flywheel/Support/LargeStack.h"

#include "mlir/Support/ToolUtilities.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using llvm::StringRef;
namespace json = llvm::json;

namespace flywheel::lsp {

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static json::Object makePosition(int64_t line, int64_t character) {
  return json::Object{{"line", line}, {"character", character}};
}

/// Returns the first position of `location` in the document, from 0; none if it
/// is elsewhere.
static std::optional<std::pair<int64_t, int64_t>>
findPlace(mlir::Location location, StringRef uri) {
  std::optional<std::pair<int64_t, int64_t>> place;
  location->walk([&](mlir::Location part) {
    auto file = mlir::dyn_cast<mlir::FileLineColRange>(part);
    if (!file || file.getFilename() != uri || file.getStartLine() == 0)
      return mlir::WalkResult::advance();
    int64_t column = file.getStartColumn();
    place = {int64_t(file.getStartLine()) - 1,
             std::max<int64_t>(column, 1) - 1};
    return mlir::WalkResult::interrupt();
  });
  return place;
}

static int64_t getSeverity(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return 1;
  case mlir::DiagnosticSeverity::Warning:
    return 2;
  default:
    return 3;
  }
}

/// Returns the end of the word at a position.
static int64_t findWordEnd(StringRef text, int64_t line, int64_t character) {
  for (int64_t i = 0; i < line; ++i)
    text = text.split('\n').second;
  StringRef word = text.split('\n').first.drop_front(
      std::min<size_t>(text.split('\n').first.size(), character));
  size_t size = word.take_while([](char c) {
                      return llvm::isAlnum(c) || c == '_' || c == '.' ||
                             c == '%' || c == '@';
                    })
                    .size();
  return character + std::max<int64_t>(int64_t(size), 1);
}

static json::Object makeDiagnostic(const mlir::Diagnostic &diagnostic,
                                   StringRef uri, StringRef text) {
  auto [line, character] =
      findPlace(diagnostic.getLocation(), uri).value_or(std::pair(0, 0));
  std::string message = diagnostic.str();
  for (const mlir::Diagnostic &note : diagnostic.getNotes()) {
    message += "\nnote: " + note.str();
    if (auto place = findPlace(note.getLocation(), uri))
      message += " (line " + std::to_string(place->first + 1) + ")";
  }
  return json::Object{
      {"range",
       json::Object{
           {"start", makePosition(line, character)},
           {"end", makePosition(line, findWordEnd(text, line, character))}}},
      {"severity", getSeverity(diagnostic.getSeverity())},
      {"source", "flywheel"},
      {"message", json::fixUTF8(message)}};
}

json::Array findRefused(StringRef uri, StringRef text) {
  json::Array diagnostics;
  // Without memory for the stack, the server has none for its own.
  (void)runOnLargeStack([&] {
    mlir::DialectRegistry registry;
    registerAllFlywheelDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    // As upstream's server does.
    context.allowUnregisteredDialects();
    context.printOpOnDiagnostic(false);
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          diagnostics.push_back(makeDiagnostic(diagnostic, uri, text));
        });
    (void)verifyText(context, {text, uri}, mlir::kDefaultSplitMarker);
  });
  return diagnostics;
}

//===----------------------------------------------------------------------===//
// In the process of the check
//===----------------------------------------------------------------------===//

/// Compiles `text`, of which `uri` is the name.
static void checkModule(mlir::MLIRContext &context, StringRef text,
                        StringRef uri, json::Array &diagnostics) {
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        diagnostics.push_back(makeDiagnostic(diagnostic, uri, text));
      });
  DiagnosticPrinter printer;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      parseModuleText(context, text, uri, printer);
  if (module)
    (void)compileModule(std::move(module), CompilerOptions());
}

/// Compiles the modules of a document.
static void checkDocument(StringRef text, StringRef uri,
                          json::Array &diagnostics) {
  mlir::DialectRegistry registry;
  registerAllFlywheelDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  (void)forEachModule(text, mlir::kDefaultSplitMarker, [&](StringRef module) {
    checkModule(context, module, uri, diagnostics);
    return llvm::success();
  });
}

[[noreturn]] static void runCheck(int fd, const std::string &uri,
                                  const std::string &text) {
  // The editor has priority.
  if (nice(10) == -1)
    errno = 0;
  json::Array diagnostics;
  checkDocument(text, uri, diagnostics);
  std::string output;
  llvm::raw_string_ostream(output) << json::Value(std::move(diagnostics));
  for (size_t done = 0; done < output.size();) {
    ssize_t count = write(fd, output.data() + done, output.size() - done);
    if (count <= 0 && errno != EINTR)
      break;
    done += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the server
//===----------------------------------------------------------------------===//

StageCheck::StageCheck(const std::string &uri, const std::string &text)
    : uri(uri), start(std::chrono::steady_clock::now()) {
  int ends[2];
  if (pipe(ends) != 0)
    return;
  process = fork();
  if (process == 0) {
    close(ends[0]);
    runCheck(ends[1], uri, text);
  }
  close(ends[1]);
  fd = ends[0];
}

StageCheck::~StageCheck() {
  if (fd >= 0)
    close(fd);
  if (process <= 0)
    return;
  kill(process, SIGKILL);
  int status;
  waitpid(process, &status, 0);
}

bool StageCheck::isOverdue() const {
  return std::chrono::steady_clock::now() - start > std::chrono::seconds(60);
}

std::optional<json::Array> StageCheck::read() {
  char chunk[1 << 14];
  ssize_t count = ::read(fd, chunk, sizeof(chunk));
  if (count > 0) {
    output.append(chunk, static_cast<size_t>(count));
    return {};
  }
  if (count < 0 && errno == EINTR)
    return {};
  llvm::Expected<json::Value> value = json::parse(output);
  if (value)
    if (json::Array *diagnostics = value->getAsArray())
      return std::move(*diagnostics);
  llvm::consumeError(value.takeError());
  return json::Array{json::Object{
      {"range", json::Object{{"start", makePosition(0, 0)},
                             {"end", makePosition(0, 1)}}},
      {"severity", 2},
      {"source", "flywheel"},
      {"message", "the compiler stopped unexpectedly on this document"}}};
}

} // namespace flywheel::lsp
