//===- Proxy.cpp - Between the editor and upstream's server ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proxy.h"
#include "OpDocs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

using llvm::StringRef;
namespace json = llvm::json;

namespace flywheel::lsp {

/// The time for which a document has to be unchanged before it is compiled.
static constexpr std::chrono::milliseconds kQuietTime(400);

Proxy::Proxy(int toUpstream, int fromUpstream, const ProxyOptions &options)
    : options(options), toUpstream(toUpstream),
      client(STDIN_FILENO,
             options.isTest ? Framing::Delimiter : Framing::Header),
      upstream(fromUpstream, Framing::Header) {}

static std::string getIdText(const json::Object &message) {
  std::string text;
  if (const json::Value *id = message.get("id"))
    llvm::raw_string_ostream(text) << *id;
  return text;
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

/// Returns the text for upstream.
std::string Proxy::setText(const std::string &uri, std::string text,
                           int64_t version) {
  Document &document = documents[uri];
  json::Array refused = findRefused(uri, text);
  document.text = std::move(text);
  document.version = version;
  document.checkAt.reset();
  // Diagnostics of the old text help nobody.
  if (check && check->getURI() == uri)
    check.reset();
  if (refused.empty())
    return document.text;
  document.refused[version] = std::move(refused);
  return {};
}

void Proxy::open(json::Object &params) {
  json::Object *document = params.getObject("textDocument");
  if (!document)
    return;
  if (auto uri = document->getString("uri"))
    (*document)["text"] =
        setText(uri->str(), document->getString("text").value_or("").str(),
                document->getInteger("version").value_or(0));
}

void Proxy::change(json::Object &params) {
  const json::Object *document = params.getObject("textDocument");
  json::Array *changes = params.getArray("contentChanges");
  if (!document || !changes || changes->empty())
    return;
  // Upstream asks for whole texts.
  json::Object *last = changes->back().getAsObject();
  auto uri = document->getString("uri");
  if (last && uri && !last->get("range"))
    (*last)["text"] =
        setText(uri->str(), last->getString("text").value_or("").str(),
                document->getInteger("version").value_or(0));
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Returns the text of a line up to a position, which counts UTF-16 units.
static StringRef getLinePrefix(StringRef text, int64_t line,
                               int64_t character) {
  for (int64_t i = 0; i < line && !text.empty(); ++i)
    text = text.split('\n').second;
  text = text.split('\n').first;
  size_t end = 0;
  for (int64_t units = 0; units < character && end < text.size();) {
    unsigned char lead = text[end];
    size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    units += size == 4 ? 2 : 1;
    end += size;
  }
  return text.take_front(end);
}

/// Returns the beginning of a name of an op of ours at the end of `text`; empty
/// if there is none.
static StringRef getOpPrefix(StringRef text) {
  StringRef head = text.rtrim("abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  StringRef name = text.drop_front(head.size());
  // A value, a symbol, an attribute, a type.
  bool isOther = !head.empty() && StringRef("%@#!^").contains(head.back());
  auto [dialect, op] = name.split('.');
  bool isOurs = dialect.size() < name.size() && isOurDialect(dialect);
  return isOther || !isOurs ? StringRef() : name;
}

bool Proxy::complete(const json::Object &message) {
  const json::Object *params = message.getObject("params");
  const json::Object *target =
      params ? params->getObject("textDocument") : nullptr;
  const json::Object *position =
      params ? params->getObject("position") : nullptr;
  auto uri = target ? target->getString("uri") : std::nullopt;
  if (!position || !uri)
    return false;
  auto document = documents.find(uri->str());
  if (document == documents.end())
    return false;
  int64_t line = position->getInteger("line").value_or(0);
  int64_t character = position->getInteger("character").value_or(0);
  StringRef prefix =
      getOpPrefix(getLinePrefix(document->second.text, line, character));
  if (prefix.empty())
    return false;
  json::Array items;
  int64_t begin = character - int64_t(prefix.size());
  for (const auto &[name, doc] : getOpDocs()) {
    if (!StringRef(name).starts_with(prefix))
      continue;
    json::Object range{
        {"start", json::Object{{"line", line}, {"character", begin}}},
        {"end", json::Object{{"line", line}, {"character", character}}}};
    items.push_back(
        json::Object{{"label", name},
                     {"kind", 3}, // A function.
                     {"detail", doc.summary},
                     {"documentation",
                      json::Object{{"kind", "markdown"}, {"value", doc.body}}},
                     {"filterText", name},
                     {"textEdit", json::Object{{"range", std::move(range)},
                                               {"newText", name}}}});
  }
  json::Object reply{{"jsonrpc", "2.0"},
                     {"id", *message.get("id")},
                     {"result", json::Object{{"isIncomplete", false},
                                             {"items", std::move(items)}}}};
  writeMessage(STDOUT_FILENO, reply, options.isTest);
  return true;
}

/// Adds the documentation of an op to a hover text, which begins with the op's
/// name in quotes.
void Proxy::describe(json::Object &message) {
  json::Object *result = message.getObject("result");
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  auto value = contents ? contents->getString("value") : std::nullopt;
  if (!value || !value->starts_with("\""))
    return;
  auto [name, rest] = value->drop_front().split('"');
  auto doc = getOpDocs().find(name.str());
  if (doc == getOpDocs().end())
    return;
  std::string text = "`" + name.str() + "`: " + doc->second.summary + "\n\n" +
                     doc->second.body + "\n\n---" + rest.str();
  (*contents)["value"] = std::move(text);
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static bool isError(const json::Value &diagnostic) {
  const json::Object *object = diagnostic.getAsObject();
  return object && object->getInteger("severity") == 1;
}

void Proxy::handleReport(json::Object &message) {
  json::Object *params = message.getObject("params");
  auto uri = params ? params->getString("uri") : std::nullopt;
  json::Array *diagnostics = params ? params->getArray("diagnostics") : nullptr;
  if (!uri || !diagnostics)
    return;
  auto found = documents.find(uri->str());
  if (found == documents.end())
    return;
  Document &document = found->second;
  document.reported = params->getInteger("version").value_or(document.version);
  bool isCurrent = document.reported == document.version;
  if (auto refused = document.refused.extract(*document.reported))
    *diagnostics = std::move(refused.mapped());
  document.upstreamDiagnostics = *diagnostics;
  if (options.checkStages && isCurrent && !llvm::any_of(*diagnostics, isError))
    document.checkAt =
        Clock::now() + (options.isTest ? Clock::duration() : kQuietTime);
}

void Proxy::publish(const std::string &uri, json::Array added) {
  auto document = documents.find(uri);
  if (document == documents.end())
    return;
  json::Array all = document->second.upstreamDiagnostics;
  for (json::Value &diagnostic : added)
    all.push_back(std::move(diagnostic));
  json::Object message{
      {"jsonrpc", "2.0"},
      {"method", "textDocument/publishDiagnostics"},
      {"params", json::Object{{"uri", uri},
                              {"version", document->second.version},
                              {"diagnostics", std::move(all)}}}};
  writeMessage(STDOUT_FILENO, message, options.isTest);
}

void Proxy::startChecks() {
  if (check)
    return;
  for (auto &[uri, document] : documents) {
    if (!document.checkAt || *document.checkAt > Clock::now())
      continue;
    document.checkAt.reset();
    check = std::make_unique<StageCheck>(uri, document.text);
    if (check->getFD() < 0)
      check.reset();
    return;
  }
}

void Proxy::finishCheck() {
  if (std::optional<json::Array> diagnostics = check->read()) {
    std::string uri = check->getURI();
    check.reset();
    publish(uri, std::move(*diagnostics));
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void Proxy::handleClient(json::Object message) {
  std::string method = message.getString("method").value_or("").str();
  json::Object empty;
  json::Object *params = message.getObject("params");
  if (!params)
    params = &empty;
  if (method == "textDocument/didOpen")
    open(*params);
  else if (method == "textDocument/didChange")
    change(*params);
  else if (method == "textDocument/didClose") {
    if (const json::Object *target = params->getObject("textDocument")) {
      std::string uri = target->getString("uri").value_or("").str();
      documents.erase(uri);
      if (check && check->getURI() == uri)
        check.reset();
    }
  } else if (method == "textDocument/hover")
    hovers.insert(getIdText(message));
  else if (method == "textDocument/completion" && message.get("id") &&
           complete(message))
    return;
  else if (method == "shutdown" && options.isTest && hasWork()) {
    heldBack = std::move(message);
    return;
  }
  toUpstream.add(message);
}

void Proxy::handleUpstream(json::Object message) {
  if (!message.get("method") && hovers.erase(getIdText(message)))
    describe(message);
  if (message.getString("method") ==
      StringRef("textDocument/publishDiagnostics"))
    handleReport(message);
  writeMessage(STDOUT_FILENO, message, options.isTest);
}

bool Proxy::hasWork() const {
  return check || llvm::any_of(documents, [](const auto &entry) {
           const Document &document = entry.second;
           return document.checkAt || document.reported != document.version;
         });
}

int Proxy::getTimeout() const {
  if (check)
    return 1000;
  std::optional<Clock::time_point> next;
  for (const auto &[uri, document] : documents)
    if (document.checkAt && (!next || *document.checkAt < *next))
      next = document.checkAt;
  if (!next)
    return -1;
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *next - Clock::now());
  return std::max<int>(int(left.count()) + 1, 0);
}

void Proxy::run() {
  bool isClientOpen = true;
  while (!upstream.isAtEnd()) {
    startChecks();
    bool readsClient =
        isClientOpen && !client.isAtEnd() && !heldBack && toUpstream.isEmpty();
    pollfd waits[] = {
        {readsClient ? client.getFD() : -1, POLLIN, 0},
        {upstream.getFD(), POLLIN, 0},
        {check ? check->getFD() : -1, POLLIN, 0},
        {toUpstream.isEmpty() ? -1 : toUpstream.getFD(), POLLOUT, 0}};
    if (poll(waits, 4, getTimeout()) < 0 && errno != EINTR)
      return;
    if (check && check->isOverdue())
      check.reset();
    else if (check && waits[2].revents)
      finishCheck();
    if (waits[1].revents) {
      upstream.fill();
      while (std::optional<json::Object> message = upstream.next())
        handleUpstream(std::move(*message));
    }
    if (waits[0].revents)
      client.fill();
    if (heldBack && !hasWork()) {
      toUpstream.add(*heldBack);
      heldBack.reset();
    }
    while (!heldBack) {
      std::optional<json::Object> message = client.next();
      if (!message)
        break;
      handleClient(std::move(*message));
    }
    toUpstream.flush();
    if (isClientOpen && client.isAtEnd() && !heldBack && toUpstream.isEmpty()) {
      isClientOpen = false;
      close(toUpstream.getFD());
    }
  }
}

} // namespace flywheel::lsp
