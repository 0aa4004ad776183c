//===- Arguments.h - Paths, names and numbers of Python ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For arguments that Python may give in several types. Every function throws
// nanobind::python_error.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_ARGUMENTS_H
#define FLYWHEEL_PYTHON_ARGUMENTS_H

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace flywheel::python {

/// Returns the bytes of a path that is a str, bytes or os.PathLike; a str as
/// os.fsencode encodes it. Throws TypeError for anything else, ValueError for a
/// path with a null byte.
std::string getPath(nanobind::handle path);

/// Returns a path as a str, as os.fsdecode decodes it, which getPath() reads
/// back.
nanobind::object makePath(const std::string &path);

/// Returns the UTF-8 bytes of a str. Throws TypeError for anything else, in
/// which \p what says what the str would be, and UnicodeEncodeError for lone
/// surrogates.
std::string getText(nanobind::handle text, const char *what);

/// Anything with the value of an int, such as a NumPy scalar. TypeError for
/// anything else; OverflowError beyond 64 bits.
int64_t getInteger(nanobind::handle value);

/// Returns a seed of random numbers, from anything with the value of an int.
/// Throws TypeError for anything else, which it names, and ValueError for one
/// that is negative or has more than 64 bits.
uint64_t getSeed(nanobind::handle value);

/// Throws TypeError, in words of callers, for an object that is not made of
/// these arguments. The last constructor of classes that users call.
[[noreturn]] void refuseToMake(nanobind::handle made, nanobind::args args,
                               nanobind::kwargs keywords);

/// The UTF-8 bytes of a str, as an argument: anything else is a TypeError that
/// says so, where nanobind's lists the signatures of the function.
struct Text : std::string {};

} // namespace flywheel::python

template <> struct nanobind::detail::type_caster<flywheel::python::Text> {
  NB_TYPE_CASTER(flywheel::python::Text, const_name("str"))
  bool from_python(handle source, uint8_t, cleanup_list *) {
    value.assign(flywheel::python::getText(source, "this argument"));
    return true;
  }
};

#endif // FLYWHEEL_PYTHON_ARGUMENTS_H
