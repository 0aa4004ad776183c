// T60: an output names no folder: it is the same, byte for byte, from anywhere. Folders are named on request.
// REQUIRES: python
// RUN: rm -rf %t && mkdir -p %t/one %t/two/deep && cp %s %t/one/m.mlir && cp %s %t/two/deep/m.mlir
// RUN: cd %t/one && flywheel-compile m.mlir -g --profile --check-numerics -o a.o
// RUN: cd %t && flywheel-compile %t/two/deep/m.mlir -g --profile --check-numerics -o %t/two/a.o
// RUN: cd %t/two && flywheel-compile deep/m.mlir -g --profile --check-numerics -o %t/two/b.o
// RUN: cmp %t/one/a.o %t/two/a.o && cmp %t/one/a.o %t/two/b.o
// RUN: cmp %t/one/a.h %t/two/a.h && cmp %t/one/a.json %t/two/a.json
// RUN: %python -c "import sys; sys.exit(any(sys.argv[1].encode() in open(f, 'rb').read() for f in sys.argv[2:]))" %t %t/one/a.o %t/one/a.h %t/one/a.json
// RUN: FileCheck %s --check-prefix=NAME --implicit-check-not=deep < %t/one/a.json
// NAME: in 'nn.gather' at m.mlir:[[#@LINE+16]]:8

// RUN: flywheel-compile %t/two/deep/m.mlir -o %t/mapped.o --file-prefix-map=%t=src --file-prefix-map=%t/two=second
// RUN: FileCheck %s --check-prefix=MAPPED < %t/mapped.json
// MAPPED: in 'nn.gather' at second/deep/m.mlir:[[#@LINE+12]]:8
// RUN: flywheel-compile %t/one/m.mlir -g -o %t/whole.o --file-prefix-map=/=/
// RUN: llvm-dwarfdump --debug-info %t/whole.o | FileCheck %s --check-prefix=WHOLE
// WHOLE: DW_AT_name ("/{{.*}}/one/m.mlir")
// WHOLE: DW_AT_comp_dir ("/{{.*}}")
// RUN: not flywheel-compile %t/one/m.mlir -o %t/x.o --file-prefix-map=%t 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expected OLD=NEW as a prefix of file names, found '

// In memory messages have the path, as diagnostics do.
// RUN: not flywheel-run %t/one/m.mlir --entry=pick --feed x=1 --feed i=7 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: at {{.*}}/one/m.mlir:[[#@LINE+2]]:8
func.func @pick(%x: tensor<4xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %y = nn.gather %x, %i axis 0 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  %z = math.exp %y : tensor<2xf32>
  return %z : tensor<2xf32>
}
