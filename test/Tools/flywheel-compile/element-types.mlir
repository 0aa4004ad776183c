// V3: the C header, the JSON manifest and the command line show unsigned types as such.
// RUN: flywheel-compile %s -o %t.o
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: flywheel-run %s --entry=count --feed=x=250 --batch-size=2 --steps=2 --print=next --print=total --save=%t.safetensors | FileCheck %s --check-prefix=PRINTED
// RUN: flywheel-checkpoint %t.safetensors --values | FileCheck %s --check-prefix=SAVED

// HEADER: int32_t types_count(types_state *s, const uint8_t *x, int64_t {{.*}}, uint8_t *next, uint64_t *total);
// HEADER: /* bytes: uint8 (2,) */
// HEADER: {"total", "uint64",

// JSON: "dtype": "uint8"
// JSON: "name": "total"

// PRINTED: next  uint8  [2]
// PRINTED-NEXT: [244, 244]
// PRINTED-NEXT: total  uint64  []
// PRINTED-NEXT: 18446744073709551615

// SAVED: bytes  uint8  [2]  2 bytes
// SAVED-NEXT: [244, 244]
// SAVED: total  uint64  []  8 bytes
// SAVED-NEXT: 18446744073709551615
module @types {
  train.variable @bytes : tensor<2xui8> = #train.zeros
  train.variable @total : tensor<ui64> = dense<18446744073709551615> : tensor<ui64>
  func.func @count(%x: tensor<?xui8>) -> (tensor<2xui8> {train.name = "next"}, tensor<ui64> {train.name = "total"}) {
    %0 = tensor.cast %x : tensor<?xui8> to tensor<2xui8>
    %next = train.assign_add @bytes, %0 : tensor<2xui8>
    %total = train.read @total : tensor<ui64>
    return %next, %total : tensor<2xui8>, tensor<ui64>
  }
}
