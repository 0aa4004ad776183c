// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64 --emit=llvm-ir -o - | FileCheck %s
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v3 --emit=llvm-ir -o - | FileCheck %s --check-prefix=WITH

// T42: a kernel with many conversions of f16 calls them where the CPU has no instructions for them: each call would be
// twenty instructions, of which code generation would take more than twice the time for twice as many.
// CHECK: call {{.*}} @flywheel.truncate.f16.v[[N:[0-9]+]](
// CHECK: call {{.*}} @flywheel.extend.f16.v[[N]](
// CHECK: define internal {{.*}} @flywheel.truncate.f16.v[[N]](
// WITH-NOT: flywheel.truncate.f16
func.func @f(%x: tensor<64xf16>) -> tensor<64xf16> {
  %c = arith.constant 0.75 : f16
  %e = tensor.empty() : tensor<64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %b: f16):
    %y0 = arith.mulf %a, %a : f16
    %m0 = arith.mulf %y0, %c : f16
    %y1 = arith.addf %m0, %a : f16
    %m1 = arith.mulf %y1, %c : f16
    %y2 = arith.addf %m1, %a : f16
    %m2 = arith.mulf %y2, %c : f16
    %y3 = arith.addf %m2, %a : f16
    %m3 = arith.mulf %y3, %c : f16
    %y4 = arith.addf %m3, %a : f16
    %m4 = arith.mulf %y4, %c : f16
    %y5 = arith.addf %m4, %a : f16
    %m5 = arith.mulf %y5, %c : f16
    %y6 = arith.addf %m5, %a : f16
    %m6 = arith.mulf %y6, %c : f16
    %y7 = arith.addf %m6, %a : f16
    %m7 = arith.mulf %y7, %c : f16
    %y8 = arith.addf %m7, %a : f16
    %m8 = arith.mulf %y8, %c : f16
    %y9 = arith.addf %m8, %a : f16
    %m9 = arith.mulf %y9, %c : f16
    %y10 = arith.addf %m9, %a : f16
    %m10 = arith.mulf %y10, %c : f16
    %y11 = arith.addf %m10, %a : f16
    %m11 = arith.mulf %y11, %c : f16
    %y12 = arith.addf %m11, %a : f16
    %m12 = arith.mulf %y12, %c : f16
    %y13 = arith.addf %m12, %a : f16
    %m13 = arith.mulf %y13, %c : f16
    %y14 = arith.addf %m13, %a : f16
    %m14 = arith.mulf %y14, %c : f16
    %y15 = arith.addf %m14, %a : f16
    %m15 = arith.mulf %y15, %c : f16
    %y16 = arith.addf %m15, %a : f16
    %m16 = arith.mulf %y16, %c : f16
    %y17 = arith.addf %m16, %a : f16
    %m17 = arith.mulf %y17, %c : f16
    %y18 = arith.addf %m17, %a : f16
    %m18 = arith.mulf %y18, %c : f16
    %y19 = arith.addf %m18, %a : f16
    %m19 = arith.mulf %y19, %c : f16
    %y20 = arith.addf %m19, %a : f16
    linalg.yield %y20 : f16
  } -> tensor<64xf16>
  return %y : tensor<64xf16>
}
