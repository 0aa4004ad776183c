// T22: what an object, a header and a manifest are of is compiled once.
// RUN: rm -rf %t && mkdir -p %t/first %t/second
// RUN: flywheel-compile %s -o %t/first/model.o --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/second/model.o --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: diff -r %t/first %t/second
// RUN: flywheel-compile %s -o %t/second/model.o
// RUN: diff -r %t/first %t/second
// KEPT: program cache: kept {{.*}}.program
// FOUND: program cache: found {{.*}}.program

// T22, T34: Every option that the output depends on makes another program.
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --opt-level=1 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --max-batch=8 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --max-dim-size=batch=9 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --target-l1-bytes=1024 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --target-triple=aarch64-linux-gnu 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --model-name=other 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --memory-budget=1MiB 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --profile 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --winograd 2>&1 | FileCheck %s --check-prefix=KEPT

// The output of a stage has what it was compiled with.
// RUN: flywheel-compile %s --emit=flywheel-fuse --max-batch=16 -o %t/fused.mlir
// RUN: flywheel-compile %t/fused.mlir -o %t/first/model.o --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %t/fused.mlir -o %t/second/model.o --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: diff -r %t/first %t/second

// A report is of a compilation.
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --report --threads=2 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --report --threads=2 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --report 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages 2>&1 | FileCheck %s --check-prefix=FOUND
// SAID: remark: the workspace of 'step' is
// SAID: program cache: not used with --report

// An option without effect says so also where the program is that of another compilation without it, and once.
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --lowering=reference --target-cores=1 --cpu=x86-64-v2 2>&1 | FileCheck %s --check-prefix=NEW
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --lowering=reference --target-cores=1 --cpu=x86-64-v2 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --lowering=reference --cpu=x86-64-v3 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: flywheel-compile %s -o %t/model.o --cache-dir=%t/cache --time-stages --lowering=reference --target-cores=1 --cpu=x86-64-v3 2>&1 | FileCheck %s --check-prefix=OLD
// NEW: warning: option 'target_cores' has no effect
// NEW-NOT: option 'target_cores'
// NEW: program cache: kept {{.*}}.program
// OLD: warning: option 'target_cores' has no effect
// OLD-NOT: option 'target_cores'
// OLD: program cache: found {{.*}}.program

// RUN: not flywheel-compile %s --emit=asm --cache-dir=%t/cache 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: --cache-dir needs --emit=obj
// RUN: not flywheel-compile %s -o %t/model.o --cache-size=1MiB 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: --cache-size needs --cache-dir

train.variable @w : tensor<4x8xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x8xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %loss = nn.l2_loss %y : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
