//===- Dataset.h - Columns of examples, split and batched -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_DATASET_H
#define FLYWHEEL_RUNTIME_DATASET_H

#include "flywheel/Runtime/Safetensors.h"

#include <memory>

namespace flywheel::runtime {

/// True when every value of dtype \p from is exactly a value of dtype \p to,
/// for example U8 -> F32 or I32 -> F64, but not I32 -> F32.
bool isLosslessConversion(DType from, DType to);

/// A column bound to the dtype that a program wants to be fed: all that can go
/// wrong with the conversion was checked when it was bound. It keeps the data
/// alive on its own.
class ColumnFeed {
public:
  /// The dtype that gather() produces.
  DType dtype() const { return feedDType; }
  /// The shape of one example: the column's without the first dimension size.
  const Shape &rowShape() const { return exampleShape; }
  /// Bytes of one example in dtype().
  uint64_t rowBytes() const { return outputRowBytes; }

  /// Copies the \p count rows numbered \p rows to \p out, one after the other:
  /// a dense [count, rowShape...] tensor of dtype(). Rows may repeat. Writes
  /// nothing and returns kInvalidArgument when a row does not exist.
  Status gather(const uint64_t *rows, size_t count, void *out) const;

private:
  friend class Dataset;
  using ConvertFn = void (*)(const std::byte *, std::byte *, size_t);
  ColumnFeed() = default;

  std::shared_ptr<const SafetensorsFile> file;
  std::string name;
  const std::byte *base = nullptr;
  DType feedDType = DType::F32;
  Shape exampleShape;
  uint64_t numRows = 0;
  uint64_t rowElements = 0;
  uint64_t inputRowBytes = 0;
  uint64_t outputRowBytes = 0;
  ConvertFn convert = nullptr;
};

/// Named columns with one example per row: the tensors of a safetensors file,
/// all with the same first dimension size.
class Dataset {
public:
  /// Loads the columns \p columns of \p path, or all of them if none is named.
  /// Errors: those of SafetensorsFile::open(); kNotFound for a column that the
  /// file lacks; kInvalidArgument when there is no column, when one is a
  /// scalar, or when first dimension sizes differ (the text names both
  /// columns).
  static Result<Dataset> load(const std::string &path,
                              const std::vector<std::string> &columns = {});

  /// The number of examples.
  uint64_t numRows() const { return rows; }
  /// The columns, in the order asked for, else in the order of the file.
  const std::vector<TensorInfo> &columns() const { return columnInfos; }
  const Metadata &metadata() const { return file->metadata(); }

  /// Binds a column to the dtype \p feed. A conversion is allowed when every
  /// value of the column is exactly representable in \p feed: either the dtypes
  /// guarantee that (U8 -> F32, I32 -> I64), or each value is checked here,
  /// once (labels stored as I64, fed as I32). Errors: kNotFound for an unknown
  /// column; kInvalidArgument naming the column, both dtypes, and the first
  /// value and row that do not fit.
  Result<ColumnFeed> bind(const std::string &column, DType feed) const;

private:
  Dataset() = default;

  std::shared_ptr<const SafetensorsFile> file;
  std::vector<TensorInfo> columnInfos;
  uint64_t rows = 0;
};

/// Row numbers for training and for evaluation, disjoint.
struct RowSplit {
  std::vector<uint64_t> training;
  std::vector<uint64_t> heldOut;
};

/// Splits \p numRows rows: of the permutation of all rows with \p seed (see
/// Shuffle.h), the last floor(numRows * holdout) are held out. kInvalidArgument
/// unless \p holdout is in [0, 1].
Result<RowSplit> splitRows(uint64_t numRows, double holdout, uint64_t seed);

/// \p rows in the order of epoch \p epoch (from 0), see Shuffle.h. Each epoch
/// is a function of its arguments alone, so that training can resume anywhere.
std::vector<uint64_t> epochOrder(std::vector<uint64_t> rows, uint64_t seed,
                                 uint64_t epoch);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_DATASET_H
