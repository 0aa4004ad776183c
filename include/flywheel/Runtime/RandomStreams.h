//===- RandomStreams.h - Random streams in a checkpoint ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_RANDOMSTREAMS_H
#define FLYWHEEL_RUNTIME_RANDOMSTREAMS_H

#include "flywheel/Runtime/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace flywheel::runtime {

/// The metadata key under which a checkpoint keeps its random streams.
inline constexpr std::string_view streamsKey = "flywheel_streams";

/// The positions of the random streams of a program. A restored program
/// continues them.
struct RandomStreams {
  /// The seed of the last initialisation.
  uint64_t seed = 0;
  /// For each variable, by its key in the checkpoint, how often its initialiser
  /// ran.
  std::map<std::string, uint64_t> runs;
};

/// The text in a checkpoint: `{"runs":{"W":1},"seed":7}`. The keys must be
/// UTF-8.
std::string formatRandomStreams(const RandomStreams &streams);

/// The inverse. Error: kDataLoss with a description.
Result<RandomStreams> parseRandomStreams(std::string_view text);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_RANDOMSTREAMS_H
