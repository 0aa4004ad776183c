// RUN: flywheel-opt %s --flywheel-expand-narrowing | FileCheck %s

// Rounded to odd: down in magnitude, with the last bit set where something is lost.
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:[^:]*]]: vector<8xf64>) -> vector<8xbf16>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[X]] : vector<8xf64> to vector<8xf32>
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[TRUNCF]] : vector<8xf32> to vector<8xf64>
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf one, %[[EXTF]], %[[X]] : vector<8xf64>
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[EXTF]] : vector<8xf64>
// CHECK-NEXT: %[[ABSF_2:.*]] = math.absf %[[X]] : vector<8xf64>
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf ogt, %[[ABSF]], %[[ABSF_2]] : vector<8xf64>
// CHECK-NEXT: %[[BITCAST:.*]] = arith.bitcast %[[TRUNCF]] : vector<8xf32> to vector<8xi32>
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[BITCAST]], %[[CST]] : vector<8xi32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF_2]], %[[SUBI]], %[[BITCAST]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT: %[[ORI:.*]] = arith.ori %[[SELECT]], %[[CST]] : vector<8xi32>
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[CMPF]], %[[ORI]], %[[SELECT]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT: %[[BITCAST_2:.*]] = arith.bitcast %[[SELECT_2]] : vector<8xi32> to vector<8xf32>
// CHECK-NEXT: %[[TRUNCF_2:.*]] = arith.truncf %[[BITCAST_2]] : vector<8xf32> to vector<8xbf16>
// CHECK-NEXT: return %[[TRUNCF_2]] : vector<8xbf16>
func.func @narrow(%x: vector<8xf64>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf64> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// CHECK-LABEL: func.func @to_half(
// CHECK-SAME: %[[X:[^:]*]]: f64) -> f16
// CHECK-NEXT: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[TRUNCF]] : f32 to f64
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf one, %[[EXTF]], %[[X]] : f64
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[EXTF]] : f64
// CHECK-NEXT: %[[ABSF_2:.*]] = math.absf %[[X]] : f64
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf ogt, %[[ABSF]], %[[ABSF_2]] : f64
// CHECK-NEXT: %[[BITCAST:.*]] = arith.bitcast %[[TRUNCF]] : f32 to i32
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[BITCAST]], %[[C1_I32]] : i32
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF_2]], %[[SUBI]], %[[BITCAST]] : i32
// CHECK-NEXT: %[[ORI:.*]] = arith.ori %[[SELECT]], %[[C1_I32]] : i32
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[CMPF]], %[[ORI]], %[[SELECT]] : i32
// CHECK-NEXT: %[[BITCAST_2:.*]] = arith.bitcast %[[SELECT_2]] : i32 to f32
// CHECK-NEXT: %[[TRUNCF_2:.*]] = arith.truncf %[[BITCAST_2]] : f32 to f16
// CHECK-NEXT: return %[[TRUNCF_2]] : f16
func.func @to_half(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:[^:]*]]: f64, %[[Y:[^:]*]]: f32) -> (f32, bf16)
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK-NEXT: %[[TRUNCF_2:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK-NEXT: return %[[TRUNCF]], %[[TRUNCF_2]] : f32, bf16
func.func @others(%x: f64, %y: f32) -> (f32, bf16) {
  %0 = arith.truncf %x : f64 to f32
  %1 = arith.truncf %y : f32 to bf16
  return %0, %1 : f32, bf16
}

// CHECK-LABEL: func.func @add(
// CHECK-COUNT-2: arith.extf {{.*}} : bf16 to f32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : f32
// CHECK: arith.truncf %[[SUM]] : f32 to bf16
func.func @add(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.addf %x, %y : bf16
  return %0 : bf16
}

// V3: the first sum is rounded before the second.
// CHECK-LABEL: func.func @add_twice(
// CHECK: %[[FIRST:.*]] = arith.addf %{{.*}} : vector<8xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[FIRST]] : vector<8xf32> to vector<8xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : vector<8xbf16> to vector<8xf32>
// CHECK: arith.addf %[[WIDE]], %{{.*}} : vector<8xf32>
func.func @add_twice(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16> {
  %0 = arith.addf %x, %y : vector<8xbf16>
  %1 = arith.addf %0, %y : vector<8xbf16>
  return %1 : vector<8xbf16>
}

// CHECK-LABEL: func.func @repeat(
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[ALL:.*]] = vector.broadcast %[[BITS]] : i16 to vector<8xi16>
// CHECK: arith.bitcast %[[ALL]] : vector<8xi16> to vector<8xbf16>
// EXAMPLE: --flywheel-expand-narrowing
func.func @repeat(%x: bf16) -> vector<8xbf16> {
  %0 = vector.broadcast %x : bf16 to vector<8xbf16>
  return %0 : vector<8xbf16>
}
