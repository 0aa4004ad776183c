// A global of an imported model is a variable: it is kept from step to step and in
// checkpoints, and nothing of a module outlives its block.
// RUN: flywheel-run %s --entry=tick --steps=5 | FileCheck %s --check-prefix=FIVE
// FIVE: 5{{$}}
// RUN: flywheel-run %s --entry=tick --steps=2 --save=%t.safetensors | FileCheck %s --check-prefix=TWO
// TWO: 2{{$}}
// RUN: flywheel-run %s --entry=tick --restore=%t.safetensors | FileCheck %s --check-prefix=THREE
// THREE: 3{{$}}
// RUN: flywheel-run %s --list | FileCheck %s --check-prefix=LIST
// LIST: variable n  int64  []  not trainable
// RUN: flywheel-compile %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NM --implicit-check-not=' {{[bBdD]}} '
// NM: T {{.*}}tick

ml_program.global private mutable @n(dense<0> : tensor<i64>) : tensor<i64>
func.func @tick() -> tensor<i64> {
  %c1 = arith.constant dense<1> : tensor<i64>
  %n = ml_program.global_load @n : tensor<i64>
  %m = arith.addi %n, %c1 : tensor<i64>
  ml_program.global_store @n = %m : tensor<i64>
  return %m : tensor<i64>
}
