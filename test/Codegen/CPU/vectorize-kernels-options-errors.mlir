// RUN: not flywheel-opt %s --flywheel-vectorize-kernels=vector-bits=100 2>&1 | FileCheck %s

// CHECK: error: expected a power of two of at least 64 vector bits and at least 4 vector registers, found 100 and 32
func.func @empty() {
  return
}
