//===- StageTime.h - How long a stage took ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_STAGETIME_H
#define FLYWHEEL_TARGET_OBJECT_STAGETIME_H

#include <string>

namespace flywheel {

struct StageTime {
  std::string stage;
  double seconds = 0.0;
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_STAGETIME_H
