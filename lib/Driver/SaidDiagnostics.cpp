//===- SaidDiagnostics.cpp - Warnings that are said again -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is an array of arrays: severity, location, message and notes of
// each.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/SaidDiagnostics.h"
#include "flywheel/Driver/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace flywheel {

SaidDiagnostic makeSaid(const Diagnostic &diagnostic) {
  SaidDiagnostic said{diagnostic.getSeverity(),
                      diagnostic.getLocation(),
                      formatMessage(diagnostic),
                      {}};
  for (const Diagnostic &note : diagnostic.getNotes())
    said.notes.push_back(makeSaid(note));
  return said;
}

void sayAgain(llvm::ArrayRef<SaidDiagnostic> said) {
  for (const SaidDiagnostic &one : said) {
    Diagnostic diagnostic(one.location, one.severity);
    diagnostic << one.message;
    for (const SaidDiagnostic &note : one.notes)
      diagnostic.attachNote(note.location) << note.message;
    one.location->getContext()->getDiagEngine().emit(std::move(diagnostic));
  }
}

static ArrayAttr toAttribute(llvm::ArrayRef<SaidDiagnostic> said, Builder &b) {
  SmallVector<Attribute> all;
  for (const SaidDiagnostic &one : said)
    all.push_back(b.getArrayAttr(
        {b.getI64IntegerAttr(static_cast<int64_t>(one.severity)),
         LocationAttr(one.location), b.getStringAttr(one.message),
         toAttribute(one.notes, b)}));
  return b.getArrayAttr(all);
}

static std::optional<std::vector<SaidDiagnostic>>
fromAttribute(Attribute attribute) {
  auto all = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!all)
    return std::nullopt;
  std::vector<SaidDiagnostic> said;
  for (Attribute one : all) {
    auto parts = dyn_cast<ArrayAttr>(one);
    if (!parts || parts.size() != 4)
      return std::nullopt;
    auto severity = dyn_cast<IntegerAttr>(parts[0]);
    auto location = dyn_cast<LocationAttr>(parts[1]);
    auto message = dyn_cast<StringAttr>(parts[2]);
    auto notes = fromAttribute(parts[3]);
    if (!severity || !location || !message || !notes)
      return std::nullopt;
    said.push_back({static_cast<DiagnosticSeverity>(severity.getInt()),
                    Location(location), message.str(), std::move(*notes)});
  }
  return said;
}

std::string formatSaid(llvm::ArrayRef<SaidDiagnostic> said,
                       MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Builder b(&context);
  toAttribute(said, b).print(os);
  return text;
}

std::optional<std::vector<SaidDiagnostic>> parseSaid(llvm::StringRef text,
                                                     MLIRContext &context) {
  return fromAttribute(parseAttribute(text, &context));
}

} // namespace flywheel
