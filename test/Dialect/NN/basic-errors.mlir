// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

// X14:
func.func @f(%a: tensor<2x2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point values}}
  %0 = nn.matmul %a, %a : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return
}

// -----

// X1:
func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected a of rank at least 2, found rank 1}}
  %0 = nn.matmul %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{expected b of rank 2, found rank 0}}
  %0 = nn.matmul %a, %b : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of a and dimension 0 of b, found 3 and 2}}
  %0 = nn.matmul %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x3xf32>', found 'tensor<2x2xf32>'}}
  %0 = nn.matmul %a, %a {transpose_a} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x2xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

// X1:
func.func @f(%a: tensor<2x2x2xf32>, %b: tensor<2x2xf32>) {
  // expected-error @+1 {{expected b of rank 3, found rank 2}}
  %0 = nn.matmul %a, %b : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x?x2x2xf32>, %b: tensor<?x4x2x2xf32>, %c: tensor<2x3x2x2xf32>) {
  %0 = nn.matmul %a, %b : (tensor<2x?x2x2xf32>, tensor<?x4x2x2xf32>) -> tensor<2x?x2x2xf32>
  // expected-error @+1 {{expected equal sizes of dimension 1 of a and dimension 1 of b, found 4 and 3}}
  %1 = nn.matmul %b, %c : (tensor<?x4x2x2xf32>, tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<5x2x2xf32>', found 'tensor<5x3x3xf32>'}}
  %0 = nn.matmul %a, %a {transpose_b} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> tensor<5x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{expected x of rank at least 2, found rank 1}}
  %0 = nn.dense %x, %w : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x5x4xf32>, %w: tensor<4x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x5x2xf32>', found 'tensor<?x2xf32>'}}
  %0 = nn.dense %x, %w : (tensor<?x5x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x3xf32>, %w: tensor<4x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of x and dimension 0 of w, found 3 and 4}}
  %0 = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of w and dimension 0 of b, found 2 and 3}}
  %0 = nn.dense %x, %w, %b : (tensor<?x4xf32>, tensor<4x2xf32>, tensor<3xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32>, %b: tensor<4x1xf32>) {
  // expected-error @+1 {{expected b of rank 1, found rank 2}}
  %0 = nn.dense %x, %x, %b : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4x4xf32>', found 'tensor<4xf32>'}}
  %0 = nn.dense %x, %x, %b : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// X4:
func.func @f(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor}}
  %0 = "nn.relu"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// X4:
func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "nn.relu"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// X5:
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{expected x of rank at least 1, found rank 0}}
  %0 = nn.softmax %x : tensor<f32>
  return
}

// -----

// X5:
func.func @f(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of logits and dimension 0 of labels, found 4 and 5}}
  %0 = nn.softmax_cross_entropy %x, %y : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of logits and dimension 1 of labels, found 3 and 2}}
  %0 = nn.softmax_cross_entropy %x, %y : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<f32>', found 'tensor<4xf32>'}}
  %0 = nn.softmax_cross_entropy %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4xf32>', found 'tensor<f32>'}}
  %0 = nn.softmax_cross_entropy %x, %x reduction none : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected logits of rank at least 2, found rank 1}}
  %0 = nn.softmax_cross_entropy %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of signless integer values}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi1>) {
  // expected-error @+1 {{expected integer labels, found 'tensor<4xi1>'}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x3xf32>, tensor<4xi1>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<5xi32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of logits and dimension 0 of label, found 4 and 5}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x3xf32>, tensor<5xi32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<4x1xi32>) {
  // expected-error @+1 {{expected label of rank 1, found rank 2}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @+1 {{expected a result of the logits' element type 'f32', found 'tensor<f64>'}}
  %0 = nn.sparse_softmax_cross_entropy %x, %l : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %l: tensor<4xi32>) {
  // expected-error @+1 {{Invalid attribute `reduction` in property conversion: 5 : i32}}
  %0 = "nn.sparse_softmax_cross_entropy"(%x, %l) <{reduction = 5 : i32}> : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return
}

// -----

// X7:
func.func @f(%b: tensor<2xf32>) {
  // expected-error @+1 {{expected one entry of dims for each of the 1 dimensions of the input, found 0}}
  %0 = nn.broadcast %b dims [] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%b: tensor<2xf32>) {
  // expected-error @+1 {{expected dims within [0, 2), found 2}}
  %0 = nn.broadcast %b dims [2] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%b: tensor<2x3xf32>) {
  // expected-error @+1 {{expected strictly increasing dims, found 0 after 1}}
  %0 = nn.broadcast %b dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%b: tensor<2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the input and dimension 0 of the result, found 2 and 3}}
  %0 = nn.broadcast %b dims [0] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%b: tensor<2xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.broadcast %b dims [1] : (tensor<2xf32>) -> tensor<3x2xf64>
  return
}

// -----

// X11:
func.func @f(%b: tensor<2xf32>) {
  // expected-error @+1 {{expected `like` for a result with dynamic dimension sizes, found none}}
  %0 = nn.broadcast %b dims [1] : (tensor<2xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @f(%b: tensor<2xf32>, %l: tensor<4x2xi32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4x2xf32>', found 'tensor<3x2xf32>'}}
  %0 = nn.broadcast %b dims [1] like %l : (tensor<2xf32>, tensor<4x2xi32>) -> tensor<3x2xf32>
  return
}

// -----

// X7:
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected axes within [0, 2), found -1}}
  %0 = nn.reduce sum %x axes [-1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected strictly increasing axes, found 1 after 1}}
  %0 = nn.reduce sum %x axes [1, 1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{expected a floating-point type for a mean, found 'i32'}}
  %0 = nn.reduce mean %x axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  return
}

// -----

// V3:
func.func @f(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{expected a numeric element type, found 'tensor<2x3xi1>'}}
  %0 = nn.reduce sum %x axes [1] : tensor<2x3xi1> -> tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %0 = nn.reduce sum %x axes [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2x1xf32>', found 'tensor<2xf32>'}}
  %0 = nn.reduce sum %x axes [1] keepdims : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.reduce sum %x axes [1] : tensor<2x3xf32> -> tensor<2xf64>
  return
}

// -----

func.func @f(%i: tensor<2xi32>) {
  // expected-error @+1 {{expected a static last dimension size, found 'tensor<2x?xf32>'}}
  %0 = nn.one_hot %i : tensor<2xi32> -> tensor<2x?xf32>
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @+1 {{expected a result of rank 1, found rank 0}}
  %0 = nn.one_hot %i : tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @f(%i: tensor<2xi32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2x4xf32>', found 'tensor<3x4xf32>'}}
  %0 = nn.one_hot %i : tensor<2xi32> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected axis within [0, 2), found 2}}
  %0 = nn.argsort %x axis 2 : tensor<2x3xf32> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%x: tensor<2xf128>) {
  // expected-error @+1 {{expected elements of 64 or at most 32 bits, found 'tensor<2xf128>'}}
  %0 = nn.argsort %x axis 0 : tensor<2xf128> -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2x3xi32>' are incompatible with return type(s) of operation 'tensor<2x4xi32>'}}
  %0 = nn.argsort %x axis 0 : tensor<2x3xf32> -> tensor<2x4xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected axis within [0, 2), found -1}}
  %0 = nn.argmax %x axis -1 : tensor<2x3xf32> -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{expected axis within [0, 0), found 0}}
  %0 = nn.argmax %x axis 0 : tensor<f32> -> tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{expected a non-empty axis, found 'tensor<2x0xf32>'}}
  %0 = nn.argmax %x axis 1 : tensor<2x0xf32> -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected indices of i32 or i64, found 'tensor<2xi8>'}}
  %0 = nn.argmax %x axis 1 : tensor<2x3xf32> -> tensor<2xi8>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2xi32>', found 'tensor<3xi32>'}}
  %0 = nn.argmax %x axis 1 : tensor<2x3xf32> -> tensor<3xi32>
  return
}

// -----

// X7:
func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected x of rank at least 2, found rank 1}}
  %0 = nn.triangle lower %x : tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x3xi8>) {
  // expected-error @+1 {{expected a fill that is a number of 'i8', found 1.280000e+02 : f64}}
  %0 = nn.triangle lower %x fill 128.0 : tensor<3x3xi8>
  return
}

// -----

func.func @f(%x: tensor<3x3xi32>) {
  // expected-error @+1 {{expected a fill that is a number of 'i32', found 5.000000e-01 : f64}}
  %0 = nn.triangle lower %x fill 0.5 : tensor<3x3xi32>
  return
}
