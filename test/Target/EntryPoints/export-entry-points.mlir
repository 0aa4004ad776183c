// RUN: flywheel-opt %s --flywheel-emit-entry-points=max-dim-size=16 --convert-to-llvm --flywheel-export-entry-points=max-dim-size=16 | FileCheck %s
// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false --convert-to-llvm --flywheel-export-entry-points=c-interface=false | FileCheck %s --check-prefix=JIT

module attributes {train.manifest = {
  model = "tiny-net", layout_hash = 99 : i64, state_bytes = 576 : i64, variables = [],
  entries = [
    {name = "step", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
     workspace = [], checks = array<i64>}],
  messages = []
}} {
  // Symbols that the object defines are private to it.
  // CHECK: llvm.mlir.global internal constant @table
  // CHECK: llvm.mlir.global external @elsewhere()
  // CHECK: llvm.func @expf(f32) -> f32
  llvm.mlir.global external constant @table(1.0 : f32) : f32
  llvm.mlir.global external @elsewhere() : f32
  llvm.func @expf(f32) -> f32

  // CHECK: llvm.func internal @step.kernel({{.*}}) -> i32 attributes {{.*}}no_inline
  func.func @step.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// Sessions call the packed forms, programs the others.
// CHECK: llvm.func hidden @tiny_net_step.packed(
// CHECK: llvm.func @tiny_net_step(%{{.*}}: !llvm.ptr) -> (i32 {llvm.signext})
// CHECK: llvm.func hidden @tiny_net_init.packed(
// CHECK: llvm.func @tiny_net_init(
// CHECK: llvm.func @tiny_net_init_some(
// CHECK: llvm.mlir.global internal constant @tiny_net.texts
// CHECK: llvm.func @tiny_net_last_error(

// The C header calls each by a name with the hash of the interface.
// CHECK: llvm.mlir.alias external @tiny_net_init_[[HASH:[0-9a-f]+]]
// CHECK-NEXT: llvm.mlir.addressof @tiny_net_init :
// CHECK: llvm.mlir.alias external @tiny_net_init_some_[[HASH]]
// CHECK: llvm.mlir.alias external @tiny_net_last_error_[[HASH]]
// CHECK: llvm.mlir.alias external @tiny_net_step_[[HASH]]
// CHECK-NEXT: llvm.mlir.addressof @tiny_net_step :

// JIT: llvm.func hidden @tiny_net_step.packed(
// JIT-NOT: llvm.mlir.alias
