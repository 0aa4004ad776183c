// T21: with -g each instruction of a kernel is of a line of the model, in the file that the location names.
// RUN: rm -rf %t && mkdir -p %t
// RUN: flywheel-compile %s -g -o %t/lines.o && flywheel-compile %s -o %t/plain.o
// RUN: llvm-dwarfdump --debug-info %t/lines.o | FileCheck %s --check-prefix=UNIT
// RUN: llvm-dwarfdump --debug-line %t/lines.o | FileCheck %s --check-prefix=TABLE
// UNIT: DW_TAG_compile_unit
// UNIT: DW_AT_producer ("flywheel")
// UNIT: DW_AT_name ("{{.*}}line-tables.mlir")
// UNIT: DW_AT_comp_dir ("{{.+}}")
// TABLE: name: "{{.*}}line-tables.mlir"
// TABLE: name: "layers.py"
// TABLE: Address Line Column File
// TABLE-DAG: 0x{{[0-9a-f]+}} [[#@LINE+28]] 8 1 0 {{.*}}is_stmt prologue_end
// TABLE-DAG: 0x{{[0-9a-f]+}} 12 7 2 0

// A kernel starts in the line of its first op; what no line became, as the checks of an entry, is on line 0.
// RUN: flywheel-compile %s -g --emit=llvm-ir | FileCheck %s --check-prefix=IR
// IR: define internal void @step.dense.Nx8.{{[0-9]+}}({{.*}} !dbg [[DENSE:![0-9]+]]
// IR: define hidden {{.*}}@line_tables_step.packed({{.*}} !dbg [[ENTRY:![0-9]+]]
// IR-DAG: [[DENSE]] = distinct !DISubprogram(name: "step.dense.Nx8.{{[0-9]+}}", {{.*}} line: [[#@LINE+21]],
// IR-DAG: [[ENTRY]] = distinct !DISubprogram(name: "line_tables_step.packed", {{.*}} spFlags:
// IR-DAG: !DILocation(line: [[#@LINE+19]], column: 8, scope: [[DENSE]])
// IR-DAG: !DILocation(line: 0, scope: [[ENTRY]])

// Instructions are those without tables, and without -g there are none.
// RUN: llvm-objcopy --dump-section=.text=%t/lines.text %t/lines.o %t/lines.copy.o
// RUN: llvm-objcopy --dump-section=.text=%t/plain.text %t/plain.o %t/plain.copy.o
// RUN: cmp %t/lines.text %t/plain.text
// RUN: llvm-dwarfdump %t/plain.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: DW_TAG

// RUN: flywheel-compile %s -g --emit=asm --target-triple=aarch64-linux-gnu | FileCheck %s --check-prefix=ARM
// ARM: .loc 1 [[#]] 8 prologue_end

// RUN: not flywheel-compile %s -g --emit=flywheel-loops 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: -g needs --emit=obj, asm or llvm-ir

train.variable @w : tensor<4x8xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x8xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %loss = nn.l2_loss %y : tensor<?x8xf32> -> tensor<f32> loc("layers.py":12:7)
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
