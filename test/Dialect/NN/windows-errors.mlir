// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

// X14:
func.func @f(%x: tensor<?x8x8x6xi32>, %w: tensor<3x3x6x16xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point values}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xi32>, tensor<3x3x6x16xi32>) -> tensor<?x6x6x16xi32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf64>) {
  // expected-error @+1 {{expected one element type, found 'f64' and 'f32'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf64>) -> tensor<?x6x6x16xf32>
  return
}

// -----

// X2:
func.func @f(%x: tensor<8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected an image of rank 4, found rank 3}}
  %0 = nn.conv2d %x, %w : (tensor<8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x6x16xf32>) {
  // expected-error @+1 {{expected a filter of rank 4, found rank 3}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x6x6x16xf32>', found 'tensor<?x6x16xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected strides of height and width, found 1 number}}
  %0 = nn.conv2d %x, %w strides [1] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected strides of at least 1, found 0}}
  %0 = nn.conv2d %x, %w strides [0, 1] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected dilations of at least 1, found -1}}
  %0 = nn.conv2d %x, %w dilations [1, -1] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<?x3x6x16xf32>) {
  // expected-error @+1 {{expected a filter of static shape with elements, found 'tensor<?x3x6x16xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<?x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x0x16xf32>) {
  // expected-error @+1 {{expected a filter of static shape with elements, found 'tensor<3x3x0x16xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x0x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x?xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected an image with a static number of channels, found 'tensor<?x8x8x?xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x?xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

// X3:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{expected an image with the filter's channels, or with G times as many and a multiple of G outputs, found an image of 6 channels and a filter of 4 channels and 16 outputs}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x4x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

// X3: three groups do not divide 16 outputs.
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x2x16xf32>) {
  // expected-error @+1 {{found an image of 6 channels and a filter of 2 channels and 16 outputs}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x2x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

// X3:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x12x16xf32>) {
  // expected-error @+1 {{found an image of 6 channels and a filter of 12 channels and 16 outputs}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x12x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x6x6x16xf32>', found 'tensor<?x6x6x8xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2x6x6x16xf32>', found 'tensor<3x6x6x16xf32>'}}
  %0 = nn.conv2d %x, %w : (tensor<2x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<3x6x6x16xf32>
  return
}

// -----

// X2: VALID has a window.
func.func @f(%x: tensor<?x2x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected an image whose height is at least 3, that of one window, found 2}}
  %0 = nn.conv2d %x, %w : (tensor<?x2x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected an image whose width is at least 9, that of one window, found 8}}
  %0 = nn.conv2d %x, %w dilations [1, 4] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

// X2:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x8x8x16xf32>', found 'tensor<?x6x6x16xf32>'}}
  %0 = nn.conv2d %x, %w padding same : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x6x3x16xf32>', found 'tensor<?x6x6x16xf32>'}}
  %0 = nn.conv2d %x, %w strides [1, 2] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected padding same, valid or explicit, found 'full'}}
  %0 = nn.conv2d %x, %w padding full : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected padding of at least 0, found -1}}
  %0 = nn.conv2d %x, %w padding explicit [[1, 1], [0, -1]] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  return
}

// -----

func.func @f(%y: tensor<?x?x?x16xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected `like` for a result with dynamic height or width, found none}}
  %0 = nn.conv2d_transpose %y, %w : (tensor<?x?x?x16xf32>, tensor<3x3x6x16xf32>) -> tensor<?x?x8x6xf32>
  return
}

// -----

func.func @f(%y: tensor<?x6x6x16xf32>, %w: tensor<3x3x6x16xf32>, %z: tensor<?x8x9x6xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x8x9x6xf32>', found 'tensor<?x8x8x6xf32>'}}
  %0 = nn.conv2d_transpose %y, %w like %z : (tensor<?x6x6x16xf32>, tensor<3x3x6x16xf32>, tensor<?x8x9x6xf32>) -> tensor<?x8x8x6xf32>
  return
}

// -----

func.func @f(%y: tensor<?x6x6x16xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected equal number of windows over the image and height of the output, found 5 and 6}}
  %0 = nn.conv2d_transpose %y, %w strides [2, 2] : (tensor<?x6x6x16xf32>, tensor<3x3x6x16xf32>) -> tensor<?x12x13x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %y: tensor<?x6x6x16xf32>) {
  // expected-error @+1 {{expected a filter of static shape with elements, found 'tensor<3x3x?x16xf32>'}}
  %0 = nn.conv2d_filter_grad %x, %y : (tensor<?x8x8x6xf32>, tensor<?x6x6x16xf32>) -> tensor<3x3x?x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %y: tensor<?x6x6x16xf32>) {
  // expected-error @+1 {{expected equal number of windows over the image and width of the output, found 5 and 6}}
  %0 = nn.conv2d_filter_grad %x, %y : (tensor<?x8x8x6xf32>, tensor<?x6x6x16xf32>) -> tensor<3x4x6x16xf32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x8x8x6xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point values}}
  %0 = nn.max_pool2d %x window [2, 2] : (tensor<?x8x8x6xi32>) -> tensor<?x4x4x6xi32>
  return
}

// -----

// X8:
func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.max_pool2d %x window [2, 2] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x6xf64>
  return
}

// -----

func.func @f(%x: tensor<8x8x6xf32>) {
  // expected-error @+1 {{expected an image of rank 4, found rank 3}}
  %0 = nn.max_pool2d %x window [2, 2] : (tensor<8x8x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected window of height and width, found 1 number}}
  %0 = nn.max_pool2d %x window [2] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected strides of at least 1, found 0}}
  %0 = nn.max_pool2d %x window [2, 2] strides [2, 0] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected padding smaller than the window's 2 positions, found 2}}
  %0 = nn.max_pool2d %x window [2, 2] padding explicit [[0, 0], [2, 0]] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x4x4x6xf32>', found 'tensor<?x4x4x5xf32>'}}
  %0 = nn.max_pool2d %x window [2, 2] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x4x4x6xf32>', found 'tensor<?x4x5x6xf32>'}}
  %0 = nn.avg_pool2d %x window [2, 2] : (tensor<?x8x8x6xf32>) -> tensor<?x4x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x1x6xf32>) {
  // expected-error @+1 {{expected an image whose width is at least 2, that of one window, found 1}}
  %0 = nn.avg_pool2d %x window [2, 2] : (tensor<?x8x1x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4x4x6xf32>) {
  // expected-error @+1 {{expected `like` for a result with dynamic height or width, found none}}
  %0 = nn.avg_pool2d_grad %x window [2, 2] : (tensor<?x4x4x6xf32>) -> tensor<?x?x8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %y: tensor<?x4x4x6xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<?x8x8x6xf32>', found 'tensor<?x8x9x6xf32>'}}
  %0 = nn.max_pool2d_grad %x, %y window [2, 2] : (tensor<?x8x8x6xf32>, tensor<?x4x4x6xf32>) -> tensor<?x8x9x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %y: tensor<?x8x7x6xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 2 of x and dimension 2 of v, found 8 and 7}}
  %0 = nn.max_pool2d_select %x, %y window [2, 2] : (tensor<?x8x8x6xf32>, tensor<?x8x7x6xf32>) -> tensor<?x4x4x6xf32>
  return
}

// -----

// X14: what follows from the numbers of a window does not overflow.
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected dilations of at most 2147483647, found 4611686018427387904}}
  %0 = nn.conv2d %x, %w padding same dilations [4611686018427387904, 1] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x8x8x16xf32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected strides of at most 2147483647, found 2147483648}}
  %0 = nn.conv2d %x, %w strides [1, 2147483648] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x6x1x16xf32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected padding of at most 2147483647, found 9223372036854775807}}
  %0 = nn.conv2d %x, %w padding explicit [[9223372036854775807, 1], [0, 0]] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x?x?x16xf32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x9223372036854775807x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected an image whose height is at most 2305843009213693952, found 9223372036854775807}}
  %0 = nn.conv2d %x, %w padding explicit [[2, 1], [0, 0]] : (tensor<?x9223372036854775807x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x?x?x16xf32>
  return
}

// -----

// X14:
func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected a window of at most 2147483647 positions, found 4294967296}}
  %0 = nn.max_pool2d %x window [65536, 65536] padding same : (tensor<?x8x8x6xf32>) -> tensor<?x1x1x6xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>, %w: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expected 'strides' once, found it again}}
  %0 = nn.conv2d %x, %w strides [2, 2] padding same strides [1, 1] : (tensor<?x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<?x4x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8x8x6xf32>) {
  // expected-error @+1 {{expected 'window'}}
  %0 = nn.max_pool2d %x strides [2, 2] : (tensor<?x8x8x6xf32>) -> tensor<?x4x4x6xf32>
  return
}
