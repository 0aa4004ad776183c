// RUN: flywheel-opt %s --flywheel-form-gpu-groups --split-input-file | FileCheck %s
// D9: buffers of a group are in workgroup memory as long as two thirds of it hold them.

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @usual_rows(
// CHECK-NOT: #gpu.address_space<workgroup>
// CHECK: return
module attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco">} {
  func.func @usual_rows(%x: memref<2048x2560xf32>, %y: memref<2048xf32>, %z: memref<2048x2560xf32>) {
    %zero = arith.constant 0.0 : f32
    %p = memref.alloc() : memref<2048x2560xf32>
    linalg.exp ins(%x : memref<2048x2560xf32>) outs(%p : memref<2048x2560xf32>)
    linalg.fill ins(%zero : f32) outs(%y : memref<2048xf32>)
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%p : memref<2048x2560xf32>) outs(%y : memref<2048xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.addf %out, %a : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%p, %y : memref<2048x2560xf32>, memref<2048xf32>) outs(%z : memref<2048x2560xf32>) {
    ^bb0(%a: f32, %m: f32, %out: f32):
      %0 = arith.divf %a, %m : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @more_rows(
// CHECK: memref.alloc() : memref<4x2560xf32, #gpu.address_space<workgroup>>
module attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco", workgroup_bytes = 65536>} {
  func.func @more_rows(%x: memref<2048x2560xf32>, %y: memref<2048xf32>, %z: memref<2048x2560xf32>) {
    %zero = arith.constant 0.0 : f32
    %p = memref.alloc() : memref<2048x2560xf32>
    linalg.exp ins(%x : memref<2048x2560xf32>) outs(%p : memref<2048x2560xf32>)
    linalg.fill ins(%zero : f32) outs(%y : memref<2048xf32>)
    linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%p : memref<2048x2560xf32>) outs(%y : memref<2048xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.addf %out, %a : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%p, %y : memref<2048x2560xf32>, memref<2048xf32>) outs(%z : memref<2048x2560xf32>) {
    ^bb0(%a: f32, %m: f32, %out: f32):
      %0 = arith.divf %a, %m : f32
      linalg.yield %0 : f32
    }
    return
  }
}
