// T23: code of a large model is generated in parts, whose number does not depend
// on the threads: the object is the same on any number of them.
// RUN: rm -rf %t && mkdir -p %t/one %t/two %t/none
// RUN: env FLYWHEEL_COMPILE_THREADS=1 flywheel-compile %s -o %t/one/model.o
// RUN: env FLYWHEEL_COMPILE_THREADS=2 flywheel-compile %s -o %t/two/model.o
// RUN: flywheel-compile %s -o %t/none/model.o --mlir-disable-threading
// RUN: diff -r %t/one %t/two
// RUN: diff -r %t/one %t/none

// It looks like one of one part: kernels are local, sections occur once, and
// linkers read it.
// RUN: llvm-readelf -S -s --wide %t/one/model.o | FileCheck %s --check-prefix=ELF
// ELF: .text
// ELF-NOT: {{ }}.text{{ }}
// ELF: FILE LOCAL DEFAULT ABS
// ELF: FUNC LOCAL DEFAULT {{.*}} train_step.dense
// ELF: FUNC GLOBAL HIDDEN {{.*}} parts_train_step.packed
// ELF: FUNC GLOBAL DEFAULT {{.*}} parts_train_step
// RUN: llvm-readelf -s --wide %t/one/model.o | grep -c FILE | FileCheck %s --check-prefix=FILE
// FILE: {{^1$}}
// RUN: ld.lld -r %t/one/model.o -o %t/linked.o

// Lines of the model are found in each part.
// RUN: flywheel-compile %s -o %t/lines.o -g
// RUN: llvm-dwarfdump --verify %t/lines.o | FileCheck %s --check-prefix=DWARF
// RUN: llvm-dwarfdump --debug-info %t/lines.o | FileCheck %s --check-prefix=UNITS
// UNITS-COUNT-2: DW_TAG_compile_unit
// DWARF: No errors.

// ELF files of 32 bits are not merged.
// RUN: flywheel-compile %s -o %t/short.o --target-triple=x86_64-linux-gnux32
// RUN: llvm-readelf -h %t/short.o | FileCheck %s --check-prefix=SHORT
// SHORT: ELF32

// RUN: not env FLYWHEEL_COMPILE_THREADS=many flywheel-compile %s -o %t/no.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expected a number from 1 to 256 as FLYWHEEL_COMPILE_THREADS, found 'many'

module @parts {
  train.variable @w0 : tensor<77x65xf32> = #train.glorot_uniform
  train.variable @w1 : tensor<65x33xf32> = #train.glorot_uniform
  func.func @train_step(%x: tensor<29x77xf32>, %y: tensor<29x33xf32>) -> tensor<f32> {
    %w0 = train.read @w0 : tensor<77x65xf32>
    %w1 = train.read @w1 : tensor<65x33xf32>
    %0 = nn.dense %x, %w0 : (tensor<29x77xf32>, tensor<77x65xf32>) -> tensor<29x65xf32>
    %1 = nn.gelu %0 : tensor<29x65xf32>
    %2 = nn.dense %1, %w1 : (tensor<29x65xf32>, tensor<65x33xf32>) -> tensor<29x33xf32>
    %loss = nn.mean_squared_error %2, %y : (tensor<29x33xf32>, tensor<29x33xf32>) -> tensor<f32>
    train.minimize %loss : tensor<f32> with #train.adam<lr = 1.0e-3>
    return %loss : tensor<f32>
  }
}
