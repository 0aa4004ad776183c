//===- OpDocs.cpp - What the ops of our dialects do -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDocs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace flywheel::lsp {

/// The Markdown that mlir-tblgen generates for the dialects.
static constexpr const char *kPages[] = {
#include "LinalgExtDialect.md.inc"
    ,
#include "NNDialect.md.inc"
    ,
#include "TrainDialect.md.inc"
};

/// Adds the section of one op, which begins with its name:
///   `nn.relu` (::flywheel::nn::ReluOp)
///
///   _The summary_
///
///   Syntax: ... the description ... #### Operands: ...
static void addOp(StringRef section, std::map<std::string, OpDoc> &docs) {
  auto [title, rest] = section.split('\n');
  StringRef name = title.split('`').second.split('`').first;
  if (!name.contains('.') || !title.ends_with("Op)"))
    return;
  OpDoc &doc = docs[name.str()];
  rest = rest.ltrim();
  if (rest.consume_front("_")) {
    auto [summary, body] = rest.split("_\n");
    doc.summary = summary.str();
    rest = body;
  }
  // Traits, effects and tables of C++ types are of little use in an editor.
  StringRef end = rest.split("\nTraits: ").first;
  end = end.split("\nInterfaces: ").first;
  end = end.split("\nEffects: ").first;
  doc.body = end.split("\n#### ").first.trim().str();
}

static std::map<std::string, OpDoc> readPages() {
  std::map<std::string, OpDoc> docs;
  for (StringRef page : kPages) {
    llvm::SmallVector<StringRef> sections;
    page.split(sections, "\n### ");
    for (StringRef section : llvm::drop_begin(sections))
      addOp(section.split("\n## ").first, docs);
  }
  return docs;
}

const std::map<std::string, OpDoc> &getOpDocs() {
  static const std::map<std::string, OpDoc> docs = readPages();
  return docs;
}

bool isOurDialect(StringRef name) {
  return llvm::any_of(getOpDocs(), [&](const auto &entry) {
    return StringRef(entry.first).split('.').first == name;
  });
}

} // namespace flywheel::lsp
