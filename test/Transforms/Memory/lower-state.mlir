// RUN: flywheel-opt %s --flywheel-lower-state=model-name=net | FileCheck %s

// A byte a boolean, 64 bytes from variable to variable, nothing for no elements.
// The manifest says who reads and writes which variable, by number.
// CHECK: module attributes {train.manifest = {entries = [
// CHECK-SAME: {checks = array<i64: 0>, feeds = [{name = "arg0", symbols = array<i64>, type = tensor<i1>}], name = "step", reads = array<i64: 0>, results = [{name = "result0", symbols = array<i64: -1>, type = tensor<3xf32>}], symbols = [], workspace = [], writes = array<i64: 1, 3>},
// CHECK-SAME: {checks = array<i64>, feeds = [], name = "ask", reads = array<i64>, results = [{name = "result0", symbols = array<i64>, type = tensor<i1>}], symbols = [], workspace = [], writes = array<i64>}],
// CHECK-SAME: messages = [{kind = "check", of_data = 1 : i64, text = "no"}], model = "net", state_bytes = 832 : i64,
// CHECK-SAME: variables = [{bytes = 12 : i64, collections = ["GLOBAL", "TRAINABLE"], name = "a/b", offset = 640 : i64, trainable = true, type = tensor<3xf32>},
// CHECK-SAME: {bytes = 5 : i64, collections = ["GLOBAL", "TRAINABLE"], name = "flag", offset = 704 : i64, trainable = true, type = tensor<5xi1>},
// CHECK-SAME: {bytes = 0 : i64, collections = ["GLOBAL", "TRAINABLE"], name = "none", offset = 768 : i64, trainable = true, type = tensor<0x4xf64>},
// CHECK-SAME: {bytes = 12 : i64, collections = ["GLOBAL"], name = "a/b/SGD", offset = 768 : i64, slot_of = "a/b", trainable = false, type = tensor<3xf32>}]}} {
// CHECK-NOT: train.variable
// CHECK: func.func @step.kernel(%[[STATE:[^:]*]]: memref<?xi8>, %[[WORKSPACE:[^:]*]]: memref<?xi8>, %[[X:[^:]*]]: memref<i1>, %[[R:[^:]*]]: memref<3xf32>) -> i32 {
// CHECK-DAG: memref.view %[[STATE]][%c640][] : memref<?xi8> to memref<3xf32>
// CHECK-DAG: memref.view %[[STATE]][%c704][] : memref<?xi8> to memref<5xi1>
// CHECK: cf.cond_br %{{.*}}, ^[[GO:.*]], ^[[FAIL:.*]]
// CHECK: ^[[GO]]:
// CHECK: return %c0_i32
// CHECK: ^[[FAIL]]:
// CHECK: return %c1_i32
// The bit of a variable is a byte in the header.
// CHECK-LABEL: func.func @ask.kernel(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?xi8>
// CHECK: memref.view %[[STATE]][%c65][] : memref<?xi8> to memref<i1>
train.variable @"a/b" : tensor<3xf32>
train.variable @flag : tensor<5xi1>
train.variable @none : tensor<0x4xf64>
train.variable @"a/b/SGD" : tensor<3xf32> {slot_of = @"a/b", trainable = false}
func.func @step(%x: memref<i1>, %r: memref<3xf32> {train.result = 0 : i64},
                %a: memref<3xf32> {train.variable = @"a/b", train.reads},
                %f: memref<5xi1> {train.variable = @flag, train.writes},
                %s: memref<3xf32> {train.variable = @"a/b/SGD", train.writes}) {
  %ok = memref.load %x[] : memref<i1>
  linalg_ext.check data %ok, "no"
  memref.copy %a, %r : memref<3xf32> to memref<3xf32>
  linalg.fill ins(%ok : i1) outs(%f : memref<5xi1>)
  memref.copy %a, %s : memref<3xf32> to memref<3xf32>
  return
}
func.func @ask(%r: memref<i1> {train.result = 0 : i64}, %f: memref<i1> {train.is_initialized = @flag}) {
  memref.copy %f, %r : memref<i1> to memref<i1>
  return
}
