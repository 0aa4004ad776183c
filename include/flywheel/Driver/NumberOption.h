//===- NumberOption.h - Options of tools that are numbers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_NUMBEROPTION_H
#define FLYWHEEL_DRIVER_NUMBEROPTION_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <limits>
#include <string>
#include <type_traits>

namespace flywheel {

/// The numbers from `least` to `most`.
template <typename T> struct NumberRange {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
};

/// An option that is a number. It says which ones there are where it is given
/// none: upstream's parsers, of which no class can be derived, have the name of
/// a C++ type only.
template <typename T> class NumberOption : public llvm::cl::opt<T> {
public:
  using llvm::cl::opt<T>::opt;

  /// Takes the numbers of `range` only.
  template <typename... Modifiers>
  explicit NumberOption(NumberRange<T> range, const Modifiers &...modifiers)
      : llvm::cl::opt<T>(modifiers...), range(range) {}

private:
  std::string describeRange() const {
    constexpr T kMost = std::numeric_limits<T>::max();
    if (std::is_signed_v<T> && range.most == kMost)
      return range.least == std::numeric_limits<T>::lowest()
                 ? "of " + std::to_string(8 * sizeof(T)) + " bits"
                 : "of at least " + std::to_string(range.least);
    return "from " + std::to_string(range.least) + " to " +
           std::to_string(range.most);
  }

  /// \returns true after an error, as options do.
  bool handleOccurrence(unsigned position, llvm::StringRef,
                        llvm::StringRef text) override {
    T value;
    if constexpr (std::is_floating_point_v<T>) {
      if (!llvm::to_float(text, value))
        return this->error("expected a number, found '" + text + "'");
    } else {
      if (text.getAsInteger(0, value) || value < range.least ||
          value > range.most)
        return this->error("expected a whole number " + describeRange() +
                           ", found '" + text + "'");
    }
    this->setValue(value);
    this->setPosition(position);
    return false;
  }

  NumberRange<T> range;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_NUMBEROPTION_H
