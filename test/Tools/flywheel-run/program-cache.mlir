// T22: a program is compiled once for a model, its options, the compiler and the machine.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/model.mlir
// RUN: flywheel-run %t/model.mlir --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2> %t/first.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/first.txt
// RUN: flywheel-run %t/model.mlir --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2> %t/second.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=FOUND --input-file=%t/second.txt --implicit-check-not=flywheel-
// CHECK: [2, 4, 6]
// KEPT: flywheel-llvm
// KEPT: program cache: kept {{.*[0-9a-f]+}}.program
// FOUND: program cache: found {{.*[0-9a-f]+}}.program

// Messages have the place of the op: a model whose lines move is another one.
// RUN: %python -c "import sys; text = open(sys.argv[1]).read(); open(sys.argv[1], 'w').write('\n' + text)" %t/model.mlir
// RUN: flywheel-run %t/model.mlir --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=KEPT

// The same holds with other options; each program has an entry of its own.
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --lowering=reference 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --check-numerics 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --threads=3 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages -g 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --entries=step 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --mlir-elide-elementsattrs-if-larger=1 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages --lowering=reference 2>&1 | FileCheck %s --check-prefix=FOUND

// An entry that a crash or a disk has damaged is compiled again.
// RUN: %python %S/Inputs/spoil_programs.py %t/cache end
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2> %t/end.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/end.txt
// RUN: %python %S/Inputs/spoil_programs.py %t/cache middle
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2> %t/middle.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/middle.txt
// RUN: %python %S/Inputs/spoil_programs.py %t/cache all
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2> %t/all.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/all.txt
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND

// The least recently used program is removed: of programs of some 3 KiB each, 7 KiB have room for
// two.
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/small --entries=step
// RUN: flywheel-run %s --entry other --cache-dir=%t/small --entries=other
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/small --entries=step --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: %python %S/Inputs/count_programs.py %t/small 2
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/small --cache-size=7KiB --entries=step --check-numerics
// RUN: %python %S/Inputs/count_programs.py %t/small 2
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/small --entries=step --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: flywheel-run %s --entry other --cache-dir=%t/small --entries=other --time-stages 2>&1 | FileCheck %s --check-prefix=KEPT

// Diagnostics of the compiler are repeated each time, with locations and notes; a warning as well.
// RUN: flywheel-run %S/Inputs/turn.mlir --entry step --cache-dir=%t/said > %t/said-1.txt 2>&1
// RUN: flywheel-run %S/Inputs/turn.mlir --entry step --cache-dir=%t/said > %t/said-2.txt 2>&1
// RUN: diff %t/said-1.txt %t/said-2.txt
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t/said-2.txt
// RUN: flywheel-run %S/Inputs/turn.mlir --entry step --cache-dir=%t/said --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// REMARK:      turn.mlir:11:3: remark: the old value of variable @a is needed after it is overwritten
// REMARK-NEXT: train.assign @c, %a : tensor<64xf32>
// REMARK:      turn.mlir:15:3: note: called from here
// RUN: flywheel-run %src_root/test/Integration/GPU/Inputs/convolution.mlir --lowering=reference --winograd --list --cache-dir=%t/said 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: flywheel-run %src_root/test/Integration/GPU/Inputs/convolution.mlir --lowering=reference --winograd --list --cache-dir=%t/said --time-stages > %t/warning.txt 2>&1
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t/warning.txt
// RUN: FileCheck %s --check-prefix=FOUND --input-file=%t/warning.txt
// WARNING: warning: convolutions are computed directly

// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/small --cache-size=9 --lowering=reference 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: warning: the program is not kept: it has {{[0-9]+}} bytes, the cache at most 9
// RUN: flywheel-run %s --entry step --feed x=2 --cache-dir=%t/model.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: warning: the program is not kept: {{.*}}model.mlir{{.*}}
// FOLDER: [2, 4, 6]
// RUN: not flywheel-run %s --entry step --feed x=2 --cache-size=9 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: --cache-size needs --cache-dir

func.func @step(%x: tensor<f32>) -> tensor<3xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = nn.mul %x, %c : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @other() -> tensor<3xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %c : tensor<3xf32>
}
