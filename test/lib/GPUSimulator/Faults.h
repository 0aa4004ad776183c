//===- Faults.h - Accesses that the host traps ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_FAULTS_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_FAULTS_H

#include <csignal>

namespace simulator {

/// While it lives, an access of memory that is not there ends the launch with
/// an error that says where.
class FaultHandler {
public:
  FaultHandler();
  ~FaultHandler();

private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
  struct sigaction before[3];
  stack_t stackBefore;
};

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_FAULTS_H
