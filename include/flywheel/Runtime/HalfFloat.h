//===- HalfFloat.h - f16 and bf16 as bits -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 and the bit patterns of IEEE binary16 and bfloat16,
// for any host: decoding is exact, encoding rounds to nearest even.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_HALFFLOAT_H
#define FLYWHEEL_RUNTIME_HALFFLOAT_H

#include <cstdint>
#include <cstring>

namespace flywheel::runtime {

inline uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The value of an f16 bit pattern. Exact; a NaN keeps its sign and payload.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f)
    return bitsToFloat(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    float magnitude = float(mantissa) * 5.9604644775390625e-8f; // 2^-24
    return bitsToFloat(sign | floatToBits(magnitude));
  }
  return bitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// The f16 nearest to \p value, ties to even; overflow gives an infinity.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = floatToBits(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) // NaN: keep the payload's top, stay quiet.
    return uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x47800000u) // 65536 and beyond.
    return uint16_t(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Subnormal: the last place of a float near 0.5 is 2^-24, that of an f16
    // subnormal, so this addition does the rounding.
    float shifted = bitsToFloat(magnitude) + 0.5f;
    return uint16_t(sign | (floatToBits(shifted) - 0x3f000000u));
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return uint16_t(sign | ((rounded - (112u << 23)) >> 13));
}

/// The value of a bf16 bit pattern. Exact.
inline float bfloat16ToFloat(uint16_t bfloat) {
  return bitsToFloat(uint32_t(bfloat) << 16);
}

/// The bf16 nearest to \p value, ties to even; overflow gives an infinity.
inline uint16_t floatToBFloat16(float value) {
  uint32_t bits = floatToBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_HALFFLOAT_H
