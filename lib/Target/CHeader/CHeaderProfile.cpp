//===- CHeaderProfile.cpp - The profile of a model in its C header --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CHeaderText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace flywheel;

/// Returns `expr` with the names of its symbols, for a reader.
static std::string formatExpr(AffineExpr expr, ArrayRef<std::string> symbols) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = formatExpr(binary.getLHS(), symbols),
              rhs = formatExpr(binary.getRHS(), symbols);
  if (expr.getKind() == AffineExprKind::Add)
    return lhs + " + " + rhs;
  auto isSum = [](AffineExpr part) {
    return part.getKind() == AffineExprKind::Add;
  };
  if (isSum(binary.getLHS()))
    lhs = "(" + lhs + ")";
  if (isSum(binary.getRHS()))
    rhs = "(" + rhs + ")";
  StringRef sign = expr.getKind() == AffineExprKind::Mul        ? " * "
                   : expr.getKind() == AffineExprKind::Mod      ? " mod "
                   : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                : " ceildiv ";
  return lhs + sign.str() + rhs;
}

static std::string formatMap(AffineMap map, ArrayRef<std::string> symbols) {
  return map ? formatExpr(map.getResult(0), symbols) : "";
}

void CHeaderProfile::writeTable() {
  os << "FLYWHEEL_INLINE const " << prefix << "_kernel_info *" << prefix
     << "_profile_kernels(void) {\n  static const " << prefix
     << "_kernel_info table[" << macro << "_PROFILE_KERNELS + 1] = {\n";
  for (const ManifestEntry &entry : manifest.entries)
    for (const ManifestKernel &kernel : entry.kernels) {
      auto write = [&](StringRef text) {
        os << "\"" << escapeForC(text) << "\", ";
      };
      os << "      {";
      write(kernel.name);
      write(entry.name);
      write(kernel.phase);
      write(llvm::join(kernel.sources, ", "));
      write(formatMap(kernel.iterations, entry.symbols));
      write(formatMap(kernel.flops, entry.symbols));
      os << "\"" << escapeForC(formatMap(kernel.bytes, entry.symbols))
         << "\"},\n";
    }
  os << "      {0, 0, 0, 0, 0, 0, 0}};\n  return table;\n}\n\n";
}

void CHeaderProfile::write() {
  if (!manifest.profile)
    return;
  const ManifestProfile &profile = *manifest.profile;
  os << "/* The profile: what each kernel of the steps took, in the block. "
        "Ticks are those of\n   the processor's counter (rdtsc, cntvct_el0), "
        "which no function of a system\n   reads: take it in front of a step "
        "and behind it to know what a tick is. */\n"
     << "#define " << macro << "_PROFILE_KERNELS " << profile.kernels
     << "\n#define " << macro << "_PROFILE_WORKERS " << profile.workers
     << "\n\n"
     << "/* Iterations of the loops, operations and bytes are of one call, "
        "over "
        "the dimension sizes\n   of the entry; \"\" where another size "
        "decides. */\n"
        "typedef struct "
     << prefix
     << "_kernel_info {\n  const char *name, *entry, *phase, *sources;\n"
        "  const char *iterations, *flops, *bytes;\n} "
     << prefix << "_kernel_info;\n\n"
     << "/* " << macro << "_PROFILE_KERNELS kernels, in the order of the "
     << "program. */\n";
  writeTable();
  os << "/* Makes the profile empty: before the first step, as a fresh block "
        "has any content. */\n"
        "FLYWHEEL_INLINE void "
     << prefix << "_profile_reset(" << prefix << "_state *s) {\n  memset((char "
     << "*)s + " << profile.offset << "u, 0, " << profile.workers << "u * "
     << profile.getStride() << "u);\n}\n\n"
     << "/* How often a worker, of 0 to " << profile.workers - 1
     << ", has run a kernel since then, and its\n   "
     << (manifest.isOnGPU ? "nanoseconds on the device" : "ticks")
     << ". */\n"
        "FLYWHEEL_INLINE void "
     << prefix << "_profile_read(const " << prefix
     << "_state *s, int worker, int kernel,\n    uint64_t *calls, uint64_t "
        "*ticks) {\n  const char *counters = (const char *)s + "
     << profile.offset << "u + (size_t)worker * " << profile.getStride()
     << "u +\n                         " << ManifestProfile::kCountersOffset
     << "u + (size_t)kernel * " << ManifestProfile::kCounterBytes
     << "u;\n  memcpy(calls, counters, 8);\n  memcpy(ticks, counters + 8, "
        "8);\n}\n\n";
}
