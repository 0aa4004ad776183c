//===- OpDocs.h - What the ops of our dialects do ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_OPDOCS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_OPDOCS_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace flywheel::lsp {

/// The documentation of one op, from its TableGen definition.
struct OpDoc {
  std::string summary;
  /// Markdown: syntax, description, operands and results.
  std::string body;
};

/// Returns the ops of our dialects by their full names, `nn.relu`.
const std::map<std::string, OpDoc> &getOpDocs();

/// Returns true if `name` is a dialect of Flywheel.
bool isOurDialect(llvm::StringRef name);

} // namespace flywheel::lsp

#endif // FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_OPDOCS_H
