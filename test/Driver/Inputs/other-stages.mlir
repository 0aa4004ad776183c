// Functions that most passes are not made for: of other stages, or of none.

func.func @branches(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : tensor<f32>
^b:
  %y = arith.addf %x, %x : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @branches_of_buffers(%x: memref<f32>, %c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  %0 = memref.alloc() : memref<f32>
  memref.copy %x, %0 : memref<f32> to memref<f32>
  return
}

// -----

func.func @no_return(%x: memref<f32>) {
  %0 = memref.alloc() : memref<f32>
  ub.unreachable
}

// -----

func.func @no_value(%x: tensor<f32>) -> tensor<f32> {
  ub.unreachable
}

// -----

func.func @scalar(%x: f32) {
  return
}

// -----

func.func @scalars(%x: tensor<?xf32>, %n: index, %v: vector<4xf32>, %s: f32, %u: tensor<*xf32>) -> (tensor<?xf32>, f32, index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %u, %c0 : tensor<*xf32>
  %e = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  %f = tensor.extract_slice %e[%d] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %f, %s, %n : tensor<?xf32>, f32, index
}

// -----

func.func private @declared(tensor<f32>) -> tensor<f32>

// -----

func.func @unranked(%m: memref<*xf32>, %t: tuple<f32>, %c: complex<f32>) {
  return
}

// -----

module @outer {
  module {
    func.func @inner() {
      return
    }
  }
}

// -----

// A result and a variable that is written, without values of them.
train.variable @v : tensor<3xf32>
func.func @written(%r: memref<4xf32> {train.result = 0 : i64}, %v: memref<3xf32> {train.variable = @v, train.writes}) {
  return
}

// -----

func.func @written_tensors(%r: tensor<?xf32> {train.result = 0 : i64}, %v: tensor<3xf32> {train.variable = @v, train.writes}) {
  return
}

// -----

// An unknown variable.
func.func @undeclared() -> (tensor<i64>, tensor<i1>) {
  %count = train.read @steps : tensor<i64>
  %is = train.is_initialized @steps : tensor<i1>
  return %count, %is : tensor<i64>, tensor<i1>
}

// -----

func.func @asked() -> tensor<i1> {
  %is = train.is_initialized @steps : tensor<i1>
  return %is : tensor<i1>
}

// -----

// Dimension sizes that no feed has.
func.func @dim_sizes(%x: memref<?xf32> {train.dim_sizes = array<i64: 3>}, %y: memref<?x?xf32> {train.dim_sizes = array<i64: 0>}) attributes {train.symbols = ["batch", "time"]} {
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c1 : memref<?x?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @dim_sizes_of_none(%x: memref<?xf32>) attributes {train.symbols = ["batch", "time"]} {
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<400xf32>
  return
}

// -----

func.func @check_in_branch(%c: i1, %ok: i1) {
  scf.if %c {
    linalg_ext.check safe data %ok, "no"
  }
  return
}

// -----

module attributes {train.strings = [1]} {
}

// -----

// Unknown dimensions.
func.func @no_dimension(%x: memref<?x?xf32> {train.dim_sizes = array<i64: 0, 1>}, %y: tensor<?xf32>) attributes {train.symbols = ["a", "b"]} {
  %before = arith.constant -1 : index
  %behind = arith.constant 7 : index
  %a = memref.dim %x, %before : memref<?x?xf32>
  %b = memref.dim %x, %behind : memref<?x?xf32>
  %0 = memref.alloc(%a, %b) : memref<?x?xf32>
  %c = tensor.dim %y, %behind : tensor<?xf32>
  %s = tensor.extract_slice %y[0] [%c] [1] : tensor<?xf32> to tensor<?xf32>
  linalg.copy ins(%0 : memref<?x?xf32>) outs(%x : memref<?x?xf32>)
  return
}

// -----

func.func @wide(%x: f80) -> f80 {
  %y = math.log1p %x : f80
  return %y : f80
}

// -----

func.func @returned(%w: memref<4xf32> {train.writes}) -> memref<4xf32> {
  %new = memref.alloc() : memref<4xf32>
  return %new : memref<4xf32>
}

// -----

func.func @shifted(%x: tensor<i8>, %s: tensor<1xi8>) -> tensor<i8> {
  %y = tosa.mul %x, %x, %s : (tensor<i8>, tensor<i8>, tensor<1xi8>) -> tensor<i8>
  return %y : tensor<i8>
}
