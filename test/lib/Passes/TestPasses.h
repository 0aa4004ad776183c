//===- TestPasses.h - Passes for tests alone --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_PASSES_TESTPASSES_H
#define FLYWHEEL_TEST_LIB_PASSES_TESTPASSES_H

namespace flywheel::test {

/// Registers a pass that prints the ops with a derivative rule and the
/// composite ops, one name a line, in alphabetical order.
void registerListDerivativeRules();

/// Registers a pass that prints a line for each op of arith, linalg, math,
/// tensor and tosa: its name, a tab, and what is expected in its place where it
/// has no lowering.
void registerListOpSupport();

} // namespace flywheel::test

#endif // FLYWHEEL_TEST_LIB_PASSES_TESTPASSES_H
