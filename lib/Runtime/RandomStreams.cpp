//===- RandomStreams.cpp - Random streams in a checkpoint -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/RandomStreams.h"

#include "flywheel/Runtime/JsonString.h"

#include <nlohmann/json.hpp>

using namespace flywheel::runtime;

static Status malformed(const std::string &reason) {
  return Status::dataLoss("metadata " + quoteJson(streamsKey) + ": " + reason);
}

std::string
flywheel::runtime::formatRandomStreams(const RandomStreams &streams) {
  std::string runs;
  for (const auto &[key, count] : streams.runs)
    runs += (runs.empty() ? "" : ",") + quoteJson(key) + ":" +
            std::to_string(count);
  return "{\"runs\":{" + runs + "},\"seed\":" + std::to_string(streams.seed) +
         "}";
}

Result<RandomStreams>
flywheel::runtime::parseRandomStreams(std::string_view text) {
  // JSON that is nested deeper than a count is malformed; do not allocate
  // memory for it.
  auto isShallow = [](int depth, nlohmann::json::parse_event_t,
                      nlohmann::json &) { return depth <= 2; };
  nlohmann::json json =
      nlohmann::json::parse(text, isShallow, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 2 || !json.contains("seed") ||
      !json.contains("runs"))
    return malformed("expected an object with \"seed\" and \"runs\"");
  if (!json["seed"].is_number_unsigned() || !json["runs"].is_object())
    return malformed("expected an unsigned \"seed\" and an object \"runs\"");
  RandomStreams streams;
  streams.seed = json["seed"].get<uint64_t>();
  for (const auto &[key, count] : json["runs"].items()) {
    if (!count.is_number_unsigned())
      return malformed("the count of " + quoteJson(key) +
                       " is not an unsigned number");
    streams.runs[key] = count.get<uint64_t>();
  }
  return streams;
}
