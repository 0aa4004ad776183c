// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-tile-and-fuse --canonicalize --cse --split-input-file | FileCheck %s

// V16: depthwise convolutions decode filters of few bits in tiles that are on
// the stack.

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d2)>

// The filter of all channels would have 4608 bytes: half of it is decoded, once.
// Images are read in the order of memory along wide tiles.
// CHECK-LABEL: func.func @channels(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x30x30x128xf32>, %[[W:[^:]*]]: tensor<3x3x128xi8>
// CHECK-NOT: tensor<3x3x128xf32>
// CHECK: scf.forall (%[[C:.*]]) = (0) to (128) step (64)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][0, 0, %[[C]]] [3, 3, 64]
// CHECK: %[[FILTER:.*]] = linalg.generic {{.*}} ins(%[[PART]], %{{.*}} : tensor<3x3x64xi8>, tensor<64xf32>)
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{.*}} ins(%{{.*}}, %[[FILTER]] : tensor<1x30x30x64xf32>, tensor<3x3x64xf32>)
// CHECK: return
func.func @channels(%x: tensor<1x30x30x128xf32>, %w: tensor<3x3x128xi8>, %s: tensor<128xf32>, %y: tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32> {
  %e = tensor.empty() : tensor<3x3x128xf32>
  %q = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<3x3x128xi8>, tensor<128xf32>) outs(%e : tensor<3x3x128xf32>) {
  ^bb0(%a: i8, %b: f32, %c: f32):
    %1 = arith.sitofp %a : i8 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<3x3x128xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %q : tensor<1x30x30x128xf32>, tensor<3x3x128xf32>)
      outs(%y : tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32>
  return %0 : tensor<1x28x28x128xf32>
}

// -----

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (d2)>

// The filter of all channels is decoded again for each four rows of 28 outputs,
// which take so long that this costs little.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x30x30x64xf32>, %[[W:[^:]*]]: tensor<3x3x64xi8>
// CHECK: scf.forall (%[[Y:.*]]) = (0) to (28) step (4)
// CHECK: %[[FILTER:.*]] = linalg.generic {{.*}} ins(%[[W]], %{{.*}} : tensor<3x3x64xi8>, tensor<64xf32>)
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{.*}} ins(%{{.*}}, %[[FILTER]] : tensor<1x6x30x64xf32>, tensor<3x3x64xf32>)
// CHECK: return
func.func @rows(%x: tensor<1x30x30x64xf32>, %w: tensor<3x3x64xi8>, %s: tensor<64xf32>, %y: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %e = tensor.empty() : tensor<3x3x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<3x3x64xi8>, tensor<64xf32>) outs(%e : tensor<3x3x64xf32>) {
  ^bb0(%a: i8, %b: f32, %c: f32):
    %1 = arith.sitofp %a : i8 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<3x3x64xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %q : tensor<1x30x30x64xf32>, tensor<3x3x64xf32>)
      outs(%y : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}
