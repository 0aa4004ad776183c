//===- ThreadClocks.cpp - What happens before what ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadClocks.h"

#include <algorithm>

namespace simulator {

void ThreadClocks::beginLaunch(uint32_t numThreads) {
  times.assign(numThreads, 0);
  places.clear();
}

void ThreadClocks::beginBlock(uint32_t number) {
  block = number % (1U << (32 - Event::kThreadBits));
  std::fill(times.begin(), times.end(), 1);
  floor.assign(times.size(), 0);
  rows.clear();
  heard.assign(times.size(), {});
  heardWithoutFence.assign(times.size(), {});
  heardByAll.clear();
  isFenced.assign(times.size(), false);
}

bool ThreadClocks::isIn(const std::vector<Heard> &heard,
                        const Event &event) const {
  return std::any_of(heard.begin(), heard.end(), [&](const Heard &part) {
    auto found = part.place->said.find(event.block());
    return found != part.place->said.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const std::pair<size_t, Times> &one) {
                         return one.first < part.count &&
                                one.second[event.numberInBlock()] > event.time;
                       });
  });
}

bool ThreadClocks::isBefore(const Event &event, uint32_t thread) const {
  if (event.thread == Event::kNobody)
    return true;
  uint32_t other = event.numberInBlock();
  if (event.block() == block) {
    if (other == thread || event.time < floor[other])
      return true;
    if (!rows.empty() &&
        event.time < rows[size_t{thread} * times.size() + other])
      return true;
  }
  return isIn(heardByAll, event) || isIn(heard[thread], event);
}

void ThreadClocks::passBarrier() {
  for (size_t i = 0; i < times.size(); ++i) {
    floor[i] = ++times[i];
    heardByAll.insert(heardByAll.end(), heard[i].begin(), heard[i].end());
    heard[i].clear();
  }
}

Times ThreadClocks::known(uint32_t thread) const {
  Times result = floor;
  if (!rows.empty())
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = std::max(result[i], rows[thread * times.size() + i]);
  result[thread] = times[thread] + 1;
  return result;
}

void ThreadClocks::arrive(uint32_t thread, Times &times) {
  if (rows.empty())
    rows.assign(this->times.size() * this->times.size(), 0);
  Times own = known(thread);
  times.resize(own.size());
  for (size_t i = 0; i < own.size(); ++i)
    times[i] = std::max(times[i], own[i]);
  ++this->times[thread];
}

void ThreadClocks::leave(uint32_t thread, const Times &times) {
  uint32_t *own = row(thread);
  for (size_t i = 0; i < times.size(); ++i)
    own[i] = std::max(own[i], times[i]);
}

void ThreadClocks::synchronize(uint32_t thread, uintptr_t address,
                               bool isRelease, bool isAcquire) {
  std::unique_ptr<Place> &place = places[address];
  if (!place)
    place = std::make_unique<Place>();
  // One operation does both: its release comes after its acquire.
  (isAcquire ? heard : heardWithoutFence)[thread].push_back(
      {place.get(), place->count});
  if (isRelease || isFenced[thread]) {
    place->said[block].emplace_back(place->count++, known(thread));
    ++times[thread];
  }
}

void ThreadClocks::fence(uint32_t thread) {
  isFenced[thread] = true;
  std::vector<Heard> &before = heardWithoutFence[thread];
  heard[thread].insert(heard[thread].end(), before.begin(), before.end());
  before.clear();
}

} // namespace simulator
