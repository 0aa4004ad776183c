//===- MatrixOperations.cpp - Matrices that a warp holds together ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of elements in lanes is from the PTX ISA, section "Warp Level
// Matrix Multiply-Accumulate Instructions". A sum is made in f64 and rounded
// once; a device rounds more often, and as it likes.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "Memory.h"
#include "Races.h"
#include "WarpOperations.h"

#include <cmath>
#include <cstring>

using namespace llvm;

namespace simulator {
namespace {

/// Elements of the operands of a product, and how many a word holds.
struct TF32 {
  static constexpr unsigned kInWord = 1;
  /// The device reads the upper 19 bits only.
  static float get(uint32_t word, unsigned) {
    word &= 0xFFFFE000;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
};

struct BF16 {
  static constexpr unsigned kInWord = 2;
  static float get(uint32_t word, unsigned number) {
    word = word >> (16 * number) << 16;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
};

struct F16 {
  static constexpr unsigned kInWord = 2;
  static float get(uint32_t word, unsigned number) {
    uint32_t bits = word >> (16 * number) & 0xFFFF;
    int exponent = static_cast<int>(bits >> 10 & 31);
    auto fraction = static_cast<float>(bits & 0x3FF);
    float value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                  : exponent == 0 ? std::ldexp(fraction, -24)
                                  : std::ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
  }
};

} // namespace

/// D = A B + C with A of 16 x k by rows, B of k x 8 by columns, C and D of
/// 16 x 8. The operands are the words of A, of B, and of C.
template <typename Element, unsigned k>
static void multiply(const WarpGroup &group) {
  constexpr unsigned kPart = 4 * Element::kInWord, kNumA = 2 * (k / kPart),
                     kNumB = k / kPart;
  float a[16][k], b[k][8];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const uint32_t *words = group.operands[lane];
    unsigned row = lane / 4, first = lane % 4 * Element::kInWord;
    for (unsigned e = 0; e < Element::kInWord; ++e) {
      for (unsigned i = 0; i < kNumA; ++i)
        a[row + i % 2 * 8][i / 2 * kPart + first + e] =
            Element::get(words[i], e);
      for (unsigned i = 0; i < kNumB; ++i)
        b[i * kPart + first + e][row] = Element::get(words[kNumA + i], e);
    }
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float value;
      std::memcpy(&value, &group.operands[lane][kNumA + kNumB + i],
                  sizeof(value));
      double sum = value;
      for (unsigned j = 0; j < k; ++j)
        sum += double{a[row][j]} * double{b[j][column]};
      value = static_cast<float>(sum);
      std::memcpy(&group.results[lane][i], &value, sizeof(value));
    }
}

/// Matrices of 8 x 8 elements of 16 bits from workgroup memory: lane 8 i + j
/// has the place of row j of matrix i.
template <unsigned num, bool isTransposed>
static void loadMatrices(const WarpGroup &group) {
  uint16_t rows[num * 8][8];
  for (unsigned lane = 0; lane < num * 8; ++lane) {
    uint64_t address;
    std::memcpy(&address, group.operands[lane], sizeof(address));
    const void *row = reinterpret_cast<void *>(address);
    Registers &registers = getRegisters();
    registers.thread = getDims(group.firstThread + lane, registers.blockSize);
    checkWorkgroupAccess(row, sizeof(rows[0]), sizeof(rows[0]));
    if (Races *races = Races::get())
      races->access(group.firstThread + lane, row, sizeof(rows[0]),
                    AccessKind::Read);
    std::memcpy(rows[lane], row, sizeof(rows[0]));
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < num; ++i) {
      uint32_t word = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row = lane / 4, column = lane % 4 * 2 + e;
        if (isTransposed)
          std::swap(row, column);
        word |= uint32_t{rows[8 * i + row][column]} << (16 * e);
      }
      group.results[lane][i] = word;
    }
}

ArrayRef<WarpOperation> getMatrixOperations() {
  static constexpr int kAll = WarpOperation::kAllLanes;
  static const WarpOperation operations[] = {
      {"llvm.nvvm.mma.m16n8k4.row.col.tf32", kAll, multiply<TF32, 4>},
      {"llvm.nvvm.mma.m16n8k8.row.col.tf32", kAll, multiply<TF32, 8>},
      {"llvm.nvvm.mma.m16n8k8.row.col.bf16", kAll, multiply<BF16, 8>},
      {"llvm.nvvm.mma.m16n8k16.row.col.bf16", kAll, multiply<BF16, 16>},
      {"llvm.nvvm.mma.m16n8k8.row.col.f32.f32", kAll, multiply<F16, 8>},
      {"llvm.nvvm.mma.m16n8k16.row.col.f32.f32", kAll, multiply<F16, 16>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3", kAll,
       loadMatrices<1, false>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3", kAll,
       loadMatrices<2, false>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3", kAll,
       loadMatrices<4, false>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16.p3", kAll,
       loadMatrices<1, true>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3", kAll,
       loadMatrices<2, true>},
      {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", kAll,
       loadMatrices<4, true>},
  };
  return operations;
}

} // namespace simulator
