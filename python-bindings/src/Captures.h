//===- Captures.h - The values that a traced function has from outside ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_CAPTURES_H
#define FLYWHEEL_PYTHON_CAPTURES_H

#include "Arrays.h"

#include <memory>
#include <vector>

namespace flywheel::python {

/// A kind of place outside of the Python function that it reads; the letters
/// are those of `_captures/places.py`.
enum class PlaceKind : char {
  /// An item of a dict, by its key, or of a list, by its number.
  Item = 'i',
  /// The variable of a closure.
  Cell = 'c',
  /// An attribute in the dict of an object.
  Attribute = 'a',
  /// An attribute of an object that has no dict for it.
  Slot = 's',
  /// The number of items of a container.
  Length = 'n',
  /// All elements of a list, a set or a deque; the value is a tuple.
  Elements = 'e',
  /// The elements of an array, or some of them; the value is bytes.
  Bytes = 'b',
  /// The digest of all elements of an array; the value is a number.
  Digest = 'd',
  /// The dtype of an array, if it may be written to, and its sizes; the value
  /// is
  /// a tuple of them.
  Header = 'h',
  /// The number of attributes that an object has in its dict, but for those of
  /// the package and of Python; the value is a number.
  Members = 'm',
  /// The result of a call without arguments of the holder.
  Result = 'r',
  /// The class of an object.
  Class = 'k',
  /// The code of a function of Python and its defaults; the value is a tuple.
  Code = 'f'
};

/// A value that the Python function has from outside.
struct Capture {
  PlaceKind kind;
  /// References. The holder of an attribute, a slot, a class, code, bytes, a
  /// digest, a header or members is a weak reference to the object, or a tuple
  /// of it. An item, an
  /// attribute and a slot have a key, and that of bytes is a tuple: the steps
  /// from an element to the next one in each dimension.
  PyObject *holder, *key;
  /// A reference to the value or, if `isWeak`, to a weak reference to it; null
  /// if the holder had none.
  PyObject *value;
  bool isWeak;
};

/// Captures with references to what they have. To compare them may run Python,
/// in which a function may get other ones: a comparison holds the list that it
/// reads.
class CaptureList {
public:
  CaptureList() = default;
  CaptureList(const CaptureList &) = delete;
  CaptureList &operator=(const CaptureList &) = delete;
  ~CaptureList();

  /// Takes a list of (kind, holder, key, value or weak reference, is weak), or
  /// of (kind, holder, key) without a value. Returns null with an exception of
  /// Python set for anything else.
  static std::shared_ptr<const CaptureList> parse(PyObject *list);

  /// Returns true if the values are those of now.
  bool hold() const;

  /// For the garbage collector.
  int traverse(visitproc visit, void *arg) const;

private:
  std::vector<Capture> captures;
};

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_CAPTURES_H
