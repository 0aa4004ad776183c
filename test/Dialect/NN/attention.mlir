// Every op and attribute, both syntaxes, and a fixpoint of print and parse.
// T1:
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s > %t.1 && flywheel-opt %t.1 > %t.2 && diff %t.1 %t.2

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x8x10x64xbf16>, %v: tensor<?x8x10x32xbf16>, %m: tensor<?x8x?x10xi1>, %s: tensor<?x8x?x10xbf16>) {
  // CHECK: nn.attention %arg0, %arg1, %arg2 : (tensor<?x8x?x64xbf16>, tensor<?x8x10x64xbf16>, tensor<?x8x10x32xbf16>) -> tensor<?x8x?x32xbf16>
  %0 = nn.attention %q, %k, %v : (tensor<?x8x?x64xbf16>, tensor<?x8x10x64xbf16>, tensor<?x8x10x32xbf16>) -> tensor<?x8x?x32xbf16>
  // CHECK: nn.attention %arg0, %arg1, %arg2 mask %arg3 causal scale 1.250000e-01 :
  %1 = nn.attention %q, %k, %v mask %m causal scale 0.125 : (tensor<?x8x?x64xbf16>, tensor<?x8x10x64xbf16>, tensor<?x8x10x32xbf16>, tensor<?x8x?x10xi1>) -> tensor<?x8x?x32xbf16>
  // CHECK: nn.attention %arg0, %arg1, %arg2 mask %arg4 :
  %2 = nn.attention %q, %k, %v mask %s : (tensor<?x8x?x64xbf16>, tensor<?x8x10x64xbf16>, tensor<?x8x10x32xbf16>, tensor<?x8x?x10xbf16>) -> tensor<?x8x?x32xbf16>
  return
}
