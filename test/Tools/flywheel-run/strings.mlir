// V4: strings on the command line, in the header, the manifest and checkpoints.
// RUN: flywheel-run %s --entry=set "--feed=x=Kiwi: \"1\"" --print=old --print=same --print=names --save=%t.safetensors | FileCheck %s --check-prefix=PRINTED
// RUN: flywheel-run %s --entry=set --feed=x=Fig --restore=%t.safetensors --print=old | FileCheck %s --check-prefix=RESTORED
// RUN: flywheel-run %s --list | FileCheck %s --check-prefix=LIST
// RUN: flywheel-checkpoint %t.safetensors --values | FileCheck %s --check-prefix=SAVED
// RUN: flywheel-checkpoint %t.safetensors 'na*' | FileCheck %s --check-prefix=SELECTED
// RUN: not flywheel-checkpoint %t.safetensors names:bytes 2>&1 | FileCheck %s --check-prefix=PART
// RUN: flywheel-compile %s -o %t.o
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: not flywheel-run %s --data=%src_root/examples/digits/digits.safetensors --train=column 2>&1 | FileCheck %s --check-prefix=COLUMN

// PRINTED: old  string  [2]
// PRINTED-NEXT: ["Fruit", "orange"]
// PRINTED-NEXT: same  bool  [2]
// PRINTED-NEXT: [false, false]
// PRINTED-NEXT: names  string  [2]
// PRINTED-NEXT: ["Kiwi: \"1\"", "Kiwi: \"1\""]

// RESTORED: ["Kiwi: \"1\"", "Kiwi: \"1\""]

// LIST: feed   x  string  (2,)
// LIST: variable names  string  [2]

// SAVED: bytes_only  string  [1]{{ *}}  3 bytes
// SAVED-NEXT: ["a\u0000\xff"]
// SAVED-NEXT: names{{ *}}  string  [2]{{ *}}  18 bytes
// SAVED-NEXT: ["Kiwi: \"1\"", "Kiwi: \"1\""]
// SAVED-NOT: :bytes

// SELECTED: names  string
// SELECTED-NOT: bytes_only

// PART: Key names:bytes not found in checkpoint {{.*}}; it has: bytes_only, names

// HEADER: int32_t strings_set(strings_state *s, const int64_t *x, int64_t *old, uint8_t *same);
// HEADER: #define STRINGS_NUM_STRINGS 3
// HEADER: FLYWHEEL_INLINE const char *strings_string(int64_t number, size_t *bytes) {
// HEADER: {"Fruit", 5},
// HEADER: {"orange", 6},
// HEADER: {"a\000\377", 3},
// HEADER: /* names: string (2,)
// HEADER: #define STRINGS_NAMES_BYTES 16

// JSON: "strings": [
// JSON: "text": "Fruit"
// JSON: "hex": "6100FF"

// COLUMN: error: column "label" {{.*}} and the feed takes strings
module @strings {
  train.variable @names : tensor<2x!train.string> = #train.strings<["Fruit", "orange"]>
  train.variable @bytes_only : tensor<1x!train.string> = #train.strings<["a\00\FF"]>
  func.func @set(%x: tensor<2x!train.string>)
      -> (tensor<2x!train.string> {train.name = "old"}, tensor<2xi1> {train.name = "same"}) {
    %old = train.read @names : tensor<2x!train.string>
    %same = train.string_equal %old, %x : tensor<2x!train.string>
    train.assign @names, %x : tensor<2x!train.string>
    return %old, %same : tensor<2x!train.string>, tensor<2xi1>
  }
  func.func @column(%label: tensor<?x!train.string>) -> tensor<f32> {
    %0 = arith.constant dense<0.0> : tensor<f32>
    return %0 : tensor<f32>
  }
}
