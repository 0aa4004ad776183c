// RUN: flywheel-compile %s --target-triple=x86_64-linux-gnu --cpu=x86-64-v4 --features=+avx512bf16 --emit=asm -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: flywheel-compile %s --target-triple=x86_64-linux-gnu --cpu=x86-64-v4 --emit=asm -o %t.wide.s
// RUN: FileCheck %s --input-file=%t.wide.s --check-prefix=WIDE

// V3: pairs of bf16 are one instruction where the machine has it, with a pair of
// the left side straight from memory; else they are widened.
// CHECK: vdpbf16ps {{.*}}%zmm
// CHECK: vdpbf16ps {{.*}}%zmm
// WIDE-NOT: vdpbf16ps
// WIDE: vfmadd
// WIDE-NOT: vdpbf16ps
func.func @product(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  %y = nn.matmul %a, %b {} : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xbf16>
  return %y : tensor<64x64xbf16>
}
