// RUN: flywheel-opt %s --flywheel-expand-math | FileCheck %s

// CHECK-LABEL: func.func @f32(
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK: return
func.func @f32(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.tanh %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: math.exp %{{.*}} : vector<8xf64>
func.func @f64(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Sines of arguments that cannot be reduced in f32 are computed in f64.
// CHECK-LABEL: func.func @sine(
// CHECK-SAME: %[[X:[^:]*]]: vector<16xf32>) -> vector<16xf32>
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[X]] : vector<16xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<6.553600e+04> : vector<16xf32>
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ole, %[[ABSF]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: %[[REDUCTION:.*]] = vector.reduction <and>, %[[CMPF]] : vector<16xi1> into i1
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[REDUCTION]] -> (vector<16xf32>) {
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[X]] : vector<16xf32>
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant dense<0.636619746> : vector<16xf32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ABSF]], %[[CST_2]] : vector<16xf32>
// CHECK-NEXT: %[[ROUNDEVEN:.*]] = math.roundeven %[[MULF]] : vector<16xf32>
// CHECK-NEXT: %[[CST_3:.*]] = arith.constant dense<-1.57079601> : vector<16xf32>
// CHECK-NEXT: %[[FMA:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_3]], %[[ABSF]] : vector<16xf32>
// CHECK-NEXT: %[[CST_4:.*]] = arith.constant dense<-3.13916473E-7> : vector<16xf32>
// CHECK-NEXT: %[[FMA_2:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_4]], %[[FMA]] : vector<16xf32>
// CHECK-NEXT: %[[CST_5:.*]] = arith.constant dense<-5.39030253E-15> : vector<16xf32>
// CHECK-NEXT: %[[FMA_3:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_5]], %[[FMA_2]] : vector<16xf32>
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[FMA_3]], %[[FMA_3]] : vector<16xf32>
// CHECK-NEXT: %[[CST_6:.*]] = arith.constant dense<2.86567956E-6> : vector<16xf32>
// CHECK-NEXT: %[[CST_7:.*]] = arith.constant dense<-1.98559923E-4> : vector<16xf32>
// CHECK-NEXT: %[[FMA_4:.*]] = math.fma %[[CST_6]], %[[MULF_2]], %[[CST_7]] : vector<16xf32>
// CHECK-NEXT: %[[CST_8:.*]] = arith.constant dense<0.00833338592> : vector<16xf32>
// CHECK-NEXT: %[[FMA_5:.*]] = math.fma %[[FMA_4]], %[[MULF_2]], %[[CST_8]] : vector<16xf32>
// CHECK-NEXT: %[[CST_9:.*]] = arith.constant dense<-0.166666672> : vector<16xf32>
// CHECK-NEXT: %[[FMA_6:.*]] = math.fma %[[FMA_5]], %[[MULF_2]], %[[CST_9]] : vector<16xf32>
// CHECK-NEXT: %[[MULF_3:.*]] = arith.mulf %[[FMA_3]], %[[MULF_2]] : vector<16xf32>
// CHECK-NEXT: %[[FMA_7:.*]] = math.fma %[[FMA_6]], %[[MULF_3]], %[[FMA_3]] : vector<16xf32>
// CHECK-NEXT: %[[CST_10:.*]] = arith.constant dense<2.44677067E-5> : vector<16xf32>
// CHECK-NEXT: %[[CST_11:.*]] = arith.constant dense<-0.00138877297> : vector<16xf32>
// CHECK-NEXT: %[[FMA_8:.*]] = math.fma %[[CST_10]], %[[MULF_2]], %[[CST_11]] : vector<16xf32>
// CHECK-NEXT: %[[CST_12:.*]] = arith.constant dense<0.0416666567> : vector<16xf32>
// CHECK-NEXT: %[[FMA_9:.*]] = math.fma %[[FMA_8]], %[[MULF_2]], %[[CST_12]] : vector<16xf32>
// CHECK-NEXT: %[[CST_13:.*]] = arith.constant dense<-5.000000e-01> : vector<16xf32>
// CHECK-NEXT: %[[FMA_10:.*]] = math.fma %[[FMA_9]], %[[MULF_2]], %[[CST_13]] : vector<16xf32>
// CHECK-NEXT: %[[CST_14:.*]] = arith.constant dense<1.000000e+00> : vector<16xf32>
// CHECK-NEXT: %[[FMA_11:.*]] = math.fma %[[FMA_10]], %[[MULF_2]], %[[CST_14]] : vector<16xf32>
// CHECK-NEXT: %[[FPTOSI:.*]] = arith.fptosi %[[ROUNDEVEN]] : vector<16xf32> to vector<16xi32>
// CHECK-NEXT: %[[CST_15:.*]] = arith.constant dense<1> : vector<16xi32>
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[FPTOSI]], %[[CST_15]] : vector<16xi32>
// CHECK-NEXT: %[[CST_16:.*]] = arith.constant dense<0> : vector<16xi32>
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[ANDI]], %[[CST_16]] : vector<16xi32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[FMA_11]], %[[FMA_7]] : vector<16xi1>, vector<16xf32>
// CHECK-NEXT: %[[CST_17:.*]] = arith.constant dense<2> : vector<16xi32>
// CHECK-NEXT: %[[ANDI_2:.*]] = arith.andi %[[FPTOSI]], %[[CST_17]] : vector<16xi32>
// CHECK-NEXT: %[[CST_18:.*]] = arith.constant dense<30> : vector<16xi32>
// CHECK-NEXT: %[[SHLI:.*]] = arith.shli %[[ANDI_2]], %[[CST_18]] : vector<16xi32>
// CHECK-NEXT: %[[BITCAST:.*]] = arith.bitcast %[[X]] : vector<16xf32> to vector<16xi32>
// CHECK-NEXT: %[[CST_19:.*]] = arith.constant dense<-2147483648> : vector<16xi32>
// CHECK-NEXT: %[[ANDI_3:.*]] = arith.andi %[[BITCAST]], %[[CST_19]] : vector<16xi32>
// CHECK-NEXT: %[[XORI:.*]] = arith.xori %[[SHLI]], %[[ANDI_3]] : vector<16xi32>
// CHECK-NEXT: %[[BITCAST_2:.*]] = arith.bitcast %[[SELECT]] : vector<16xf32> to vector<16xi32>
// CHECK-NEXT: %[[XORI_2:.*]] = arith.xori %[[BITCAST_2]], %[[XORI]] : vector<16xi32>
// CHECK-NEXT: %[[BITCAST_3:.*]] = arith.bitcast %[[XORI_2]] : vector<16xi32> to vector<16xf32>
// CHECK-NEXT: scf.yield %[[BITCAST_3]] : vector<16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[X]] : vector<16xf32> to vector<16xf64>
// CHECK-NEXT: %[[SIN:.*]] = math.sin %[[EXTF]] : vector<16xf64>
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[SIN]] : vector<16xf64> to vector<16xf32>
// CHECK-NEXT: scf.yield %[[TRUNCF]] : vector<16xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[IF]] : vector<16xf32>
func.func @sine(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// A cosine is a quarter of a turn ahead, and has no sign of its argument.
// CHECK-LABEL: func.func @cosine(
// CHECK-SAME: %[[X:[^:]*]]: vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[X]] : vector<4xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<6.553600e+04> : vector<4xf32>
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ole, %[[ABSF]], %[[CST]] : vector<4xf32>
// CHECK-NEXT: %[[REDUCTION:.*]] = vector.reduction <and>, %[[CMPF]] : vector<4xi1> into i1
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[REDUCTION]] -> (vector<4xf32>) {
// CHECK-NEXT: %[[ABSF:.*]] = math.absf %[[X]] : vector<4xf32>
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant dense<0.636619746> : vector<4xf32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ABSF]], %[[CST_2]] : vector<4xf32>
// CHECK-NEXT: %[[ROUNDEVEN:.*]] = math.roundeven %[[MULF]] : vector<4xf32>
// CHECK-NEXT: %[[CST_3:.*]] = arith.constant dense<-1.57079601> : vector<4xf32>
// CHECK-NEXT: %[[FMA:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_3]], %[[ABSF]] : vector<4xf32>
// CHECK-NEXT: %[[CST_4:.*]] = arith.constant dense<-3.13916473E-7> : vector<4xf32>
// CHECK-NEXT: %[[FMA_2:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_4]], %[[FMA]] : vector<4xf32>
// CHECK-NEXT: %[[CST_5:.*]] = arith.constant dense<-5.39030253E-15> : vector<4xf32>
// CHECK-NEXT: %[[FMA_3:.*]] = math.fma %[[ROUNDEVEN]], %[[CST_5]], %[[FMA_2]] : vector<4xf32>
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[FMA_3]], %[[FMA_3]] : vector<4xf32>
// CHECK-NEXT: %[[CST_6:.*]] = arith.constant dense<2.86567956E-6> : vector<4xf32>
// CHECK-NEXT: %[[CST_7:.*]] = arith.constant dense<-1.98559923E-4> : vector<4xf32>
// CHECK-NEXT: %[[FMA_4:.*]] = math.fma %[[CST_6]], %[[MULF_2]], %[[CST_7]] : vector<4xf32>
// CHECK-NEXT: %[[CST_8:.*]] = arith.constant dense<0.00833338592> : vector<4xf32>
// CHECK-NEXT: %[[FMA_5:.*]] = math.fma %[[FMA_4]], %[[MULF_2]], %[[CST_8]] : vector<4xf32>
// CHECK-NEXT: %[[CST_9:.*]] = arith.constant dense<-0.166666672> : vector<4xf32>
// CHECK-NEXT: %[[FMA_6:.*]] = math.fma %[[FMA_5]], %[[MULF_2]], %[[CST_9]] : vector<4xf32>
// CHECK-NEXT: %[[MULF_3:.*]] = arith.mulf %[[FMA_3]], %[[MULF_2]] : vector<4xf32>
// CHECK-NEXT: %[[FMA_7:.*]] = math.fma %[[FMA_6]], %[[MULF_3]], %[[FMA_3]] : vector<4xf32>
// CHECK-NEXT: %[[CST_10:.*]] = arith.constant dense<2.44677067E-5> : vector<4xf32>
// CHECK-NEXT: %[[CST_11:.*]] = arith.constant dense<-0.00138877297> : vector<4xf32>
// CHECK-NEXT: %[[FMA_8:.*]] = math.fma %[[CST_10]], %[[MULF_2]], %[[CST_11]] : vector<4xf32>
// CHECK-NEXT: %[[CST_12:.*]] = arith.constant dense<0.0416666567> : vector<4xf32>
// CHECK-NEXT: %[[FMA_9:.*]] = math.fma %[[FMA_8]], %[[MULF_2]], %[[CST_12]] : vector<4xf32>
// CHECK-NEXT: %[[CST_13:.*]] = arith.constant dense<-5.000000e-01> : vector<4xf32>
// CHECK-NEXT: %[[FMA_10:.*]] = math.fma %[[FMA_9]], %[[MULF_2]], %[[CST_13]] : vector<4xf32>
// CHECK-NEXT: %[[CST_14:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK-NEXT: %[[FMA_11:.*]] = math.fma %[[FMA_10]], %[[MULF_2]], %[[CST_14]] : vector<4xf32>
// CHECK-NEXT: %[[FPTOSI:.*]] = arith.fptosi %[[ROUNDEVEN]] : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: %[[CST_15:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[FPTOSI]], %[[CST_15]] : vector<4xi32>
// CHECK-NEXT: %[[CST_16:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[ADDI]], %[[CST_16]] : vector<4xi32>
// CHECK-NEXT: %[[CST_17:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[ANDI]], %[[CST_17]] : vector<4xi32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[FMA_11]], %[[FMA_7]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[CST_18:.*]] = arith.constant dense<2> : vector<4xi32>
// CHECK-NEXT: %[[ANDI_2:.*]] = arith.andi %[[ADDI]], %[[CST_18]] : vector<4xi32>
// CHECK-NEXT: %[[CST_19:.*]] = arith.constant dense<30> : vector<4xi32>
// CHECK-NEXT: %[[SHLI:.*]] = arith.shli %[[ANDI_2]], %[[CST_19]] : vector<4xi32>
// CHECK-NEXT: %[[BITCAST:.*]] = arith.bitcast %[[SELECT]] : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: %[[XORI:.*]] = arith.xori %[[BITCAST]], %[[SHLI]] : vector<4xi32>
// CHECK-NEXT: %[[BITCAST_2:.*]] = arith.bitcast %[[XORI]] : vector<4xi32> to vector<4xf32>
// CHECK-NEXT: scf.yield %[[BITCAST_2]] : vector<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[X]] : vector<4xf32> to vector<4xf64>
// CHECK-NEXT: %[[COS:.*]] = math.cos %[[EXTF]] : vector<4xf64>
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[COS]] : vector<4xf64> to vector<4xf32>
// CHECK-NEXT: scf.yield %[[TRUNCF]] : vector<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[IF]] : vector<4xf32>
func.func @cosine(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.cos %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// Functions whose polynomials are wrong at infinities are kept.
// CHECK-LABEL: func.func @kept(
// CHECK: math.cbrt %{{.*}} : vector<16xf32>
func.func @kept(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.cbrt %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// One division, and a polynomial of the square of what it gives.
// CHECK-LABEL: func.func @arctangent(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK: %[[T:.*]] = arith.divf
// CHECK-NOT: arith.divf
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[T]], %[[T]]
// CHECK-COUNT-8: math.fma %{{.*}}, %[[SQUARE]], %{{.*}}
// CHECK: math.copysign %{{.*}}, %[[X]]
// CHECK-NOT: math.atan
// CHECK: return
func.func @arctangent(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.atan %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Scalars too. Two infinities make a quotient of 1, two zeros one of 0.
// CHECK-LABEL: func.func @angle(
// CHECK-SAME: %[[Y:.*]]: f32, %[[X:.*]]: f32
// CHECK: %[[SAME:.*]] = arith.cmpf oeq, %[[SMALL:.*]], %[[LARGE:.*]] : f32
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[SMALL]], %[[LARGE]]
// CHECK: arith.select %[[SAME]], %{{.*}}, %[[QUOTIENT]]
// CHECK: arith.bitcast %[[X]] : f32 to i32
// CHECK: math.copysign %{{.*}}, %[[Y]]
// CHECK-NOT: math.atan2
// CHECK: return
func.func @angle(%y: f32, %x: f32) -> f32 {
  %0 = math.atan2 %y, %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @complement(
// CHECK-NOT: math.erfc
// CHECK-NOT: arith.fptosi
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK-NOT: math.erfc
// CHECK: return
func.func @complement(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.erfc %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// No polynomial is computed in 16 bits.
// CHECK-LABEL: func.func @halves(
// CHECK: arith.extf
// CHECK-NOT: arith.mulf %{{.*}} : vector<16xf16>
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
func.func @halves(%x: vector<16xf16>) -> vector<16xf16> {
  %0 = math.asin %x : vector<16xf16>
  return %0 : vector<16xf16>
}
