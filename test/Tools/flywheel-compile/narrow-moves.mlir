// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that only moves numbers of 16 bits, or classifies them, needs no
// compiler runtime on CPUs without them.
// RUN: rm -rf %t && mkdir %t
// RUN: flywheel-compile %s --target-triple=x86_64-linux-gnu -o %t/x86.o
// RUN: flywheel-compile %s --target-triple=aarch64-linux-gnu -o %t/aarch64.o
// RUN: flywheel-compile %s --target-triple=riscv64-linux-gnu -o %t/riscv64.o
// RUN: flywheel-compile %s --target-triple=s390x-linux-gnu -o %t/s390x.o
// RUN: flywheel-compile %s --target-triple=wasm32-unknown-unknown -o %t/wasm32.o
// RUN: flywheel-compile %s --target-triple=armv7-linux-gnueabihf -o %t/armv7.o
// RUN: llvm-nm -u %t/x86.o %t/aarch64.o %t/riscv64.o %t/s390x.o %t/wasm32.o %t/armv7.o | FileCheck %s
// CHECK-NOT: __{{extend|trunc|gnu|aeabi}}
// CHECK: U sin
// CHECK-NOT: __{{extend|trunc|gnu|aeabi}}

// Numbers that functions of the module take are passed as integers, too.
// RUN: flywheel-compile %s --target-triple=x86_64-linux-gnu --cpu=x86-64-v4 --opt-level=2 --threads=2 \
// RUN:   --min-shared-work=1 --entries=scaled -o %t/passed.o
// RUN: llvm-nm -u %t/passed.o | FileCheck %s --check-prefix=PASSED --allow-empty
// PASSED-NOT: U

func.func @scaled(%x: tensor<2x1xbf16>, %s: tensor<bf16>) -> tensor<2x1xbf16> {
  %o = tensor.empty() : tensor<2x1xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>,
                                        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<2x1xbf16>, tensor<bf16>) outs(%o : tensor<2x1xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %m = arith.mulf %a, %b : bf16
    linalg.yield %m : bf16
  } -> tensor<2x1xbf16>
  return %y : tensor<2x1xbf16>
}

func.func @pooled(%x: tensor<2x4x5x6x2xbf16>, %k: tensor<2x3x2xbf16>, %y: tensor<2x3x3x5x2xbf16>)
    -> tensor<2x3x3x5x2xbf16> {
  %z = linalg.pooling_ndhwc_sum {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%x, %k : tensor<2x4x5x6x2xbf16>, tensor<2x3x2xbf16>)
      outs(%y : tensor<2x3x3x5x2xbf16>) -> tensor<2x3x3x5x2xbf16>
  return %z : tensor<2x3x3x5x2xbf16>
}

func.func @unknown(%x: tensor<?xf16>) -> tensor<?xi1> {
  %y = math.isnan %x : tensor<?xf16>
  return %y : tensor<?xi1>
}

func.func @both(%x: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf16>) {
  %y, %z = math.sincos %x : tensor<?xf16>
  return %y, %z : tensor<?xf16>, tensor<?xf16>
}

func.func @transposed(%x: tensor<3x?xf16>, %c: tensor<3x?xi1>, %y: tensor<3x?xf16>) -> tensor<?x3xf16> {
  %z = arith.select %c, %x, %y : tensor<3x?xi1>, tensor<3x?xf16>
  %one = arith.constant 1 : index
  %size = tensor.dim %x, %one : tensor<3x?xf16>
  %empty = tensor.empty(%size) : tensor<?x3xf16>
  %t = linalg.transpose ins(%z : tensor<3x?xf16>) outs(%empty : tensor<?x3xf16>) permutation = [1, 0]
  return %t : tensor<?x3xf16>
}
