// A camera from photographs of a board with marks (Zhang, A flexible new technique for
// camera calibration, 2000): its focal lengths, its center and two coefficients of radial
// distortion, and for each of 9 views a rotation vector and a translation. 60 parameters,
// in two variables of the model. The board is the plane z = 0.

module @calibration {

// fx, fy, cx, cy, k1, k2.
train.variable @camera : tensor<6xf64> = dense<[800.0, 800.0, 320.0, 240.0, 0.0, 0.0]> : tensor<6xf64>
train.variable @poses : tensor<9x6xf64> = #train.zeros

// `board` has the places of the marks; `seen_columns` and `seen_rows` say where each view
// shows them, in pixels.
func.func @calibrate(%board: tensor<?x2xf64>, %seen_columns: tensor<9x?xf64>, %seen_rows: tensor<9x?xf64>)
    -> (tensor<f64> {train.name = "objective"}, tensor<10xf64> {train.name = "objectives"}) {
  %objective, %objectives, %accepted, %regularizers = train.least_squares over [@camera, @poses]
      max_iterations 10 regularizer 1.0e-3 on_failure reject jacobian reverse history
      : () -> (tensor<f64>, tensor<10xf64>, tensor<10xi1>, tensor<10xf64>) {
    %camera = train.read @camera : tensor<6xf64>
    %poses = train.read @poses : tensor<9x6xf64>
    %r1 = tensor.extract_slice %poses[0, 0] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %r2 = tensor.extract_slice %poses[0, 1] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %r3 = tensor.extract_slice %poses[0, 2] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %t1 = tensor.extract_slice %poses[0, 3] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %t2 = tensor.extract_slice %poses[0, 4] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %t3 = tensor.extract_slice %poses[0, 5] [9, 1] [1, 1] : tensor<9x6xf64> to tensor<9xf64>
    %fx = tensor.extract_slice %camera[0] [1] [1] : tensor<6xf64> to tensor<f64>
    %fy = tensor.extract_slice %camera[1] [1] [1] : tensor<6xf64> to tensor<f64>
    %cx = tensor.extract_slice %camera[2] [1] [1] : tensor<6xf64> to tensor<f64>
    %cy = tensor.extract_slice %camera[3] [1] [1] : tensor<6xf64> to tensor<f64>
    %k1 = tensor.extract_slice %camera[4] [1] [1] : tensor<6xf64> to tensor<f64>
    %k2 = tensor.extract_slice %camera[5] [1] [1] : tensor<6xf64> to tensor<f64>

    // Rotation of each view by the angle |r|, as cos, sin / angle and (1 - cos) / angle^2.
    %s1 = arith.mulf %r1, %r1 : tensor<9xf64>
    %s2 = arith.mulf %r2, %r2 : tensor<9xf64>
    %s3 = arith.mulf %r3, %r3 : tensor<9xf64>
    %s12 = arith.addf %s1, %s2 : tensor<9xf64>
    %square = arith.addf %s12, %s3 : tensor<9xf64>
    %angle = math.sqrt %square : tensor<9xf64>
    %cos = math.cos %angle : tensor<9xf64>
    %sin = math.sin %angle : tensor<9xf64>
    %a = arith.divf %sin, %angle : tensor<9xf64>
    %one = arith.constant dense<1.0> : tensor<9xf64>
    %versine = arith.subf %one, %cos : tensor<9xf64>
    %b = arith.divf %versine, %square : tensor<9xf64>

    // Rodrigues' formula, the projection, and the distortion, for each view and mark.
    %c0 = arith.constant 0 : index
    %marks = tensor.dim %board, %c0 : tensor<?x2xf64>
    %x = tensor.extract_slice %board[0, 0] [%marks, 1] [1, 1] : tensor<?x2xf64> to tensor<?xf64>
    %y = tensor.extract_slice %board[0, 1] [%marks, 1] [1, 1] : tensor<?x2xf64> to tensor<?xf64>
    %u0 = tensor.empty(%marks) : tensor<9x?xf64>
    %u, %v = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                         affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                         affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                         affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>,
                         affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%r1, %r2, %r3, %t1, %t2, %t3, %cos, %a, %b, %x, %y
            : tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>,
              tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<?xf64>, tensor<?xf64>)
        outs(%u0, %u0 : tensor<9x?xf64>, tensor<9x?xf64>) {
    ^bb0(%w1: f64, %w2: f64, %w3: f64, %tx: f64, %ty: f64, %tz: f64, %co: f64, %si: f64, %ve: f64,
         %px: f64, %py: f64, %o1: f64, %o2: f64):
      %d0 = arith.mulf %w1, %px : f64
      %d1 = arith.mulf %w2, %py : f64
      %dot = arith.addf %d0, %d1 : f64
      %along = arith.mulf %ve, %dot : f64
      %x0 = arith.mulf %px, %co : f64
      %x1 = arith.mulf %w3, %py : f64
      %x2 = arith.mulf %si, %x1 : f64
      %x3 = arith.subf %x0, %x2 : f64
      %x4 = arith.mulf %along, %w1 : f64
      %x5 = arith.addf %x3, %x4 : f64
      %x6 = arith.addf %x5, %tx : f64
      %y0 = arith.mulf %py, %co : f64
      %y1 = arith.mulf %w3, %px : f64
      %y2 = arith.mulf %si, %y1 : f64
      %y3 = arith.addf %y0, %y2 : f64
      %y4 = arith.mulf %along, %w2 : f64
      %y5 = arith.addf %y3, %y4 : f64
      %y6 = arith.addf %y5, %ty : f64
      %z0 = arith.mulf %w1, %py : f64
      %z1 = arith.mulf %w2, %px : f64
      %z2 = arith.subf %z0, %z1 : f64
      %z3 = arith.mulf %si, %z2 : f64
      %z4 = arith.mulf %along, %w3 : f64
      %z5 = arith.addf %z3, %z4 : f64
      %z6 = arith.addf %z5, %tz : f64
      %nx = arith.divf %x6, %z6 : f64
      %ny = arith.divf %y6, %z6 : f64
      linalg.yield %nx, %ny : f64, f64
    } -> (tensor<9x?xf64>, tensor<9x?xf64>)
    %columns, %rows = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
                         affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>,
                         affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%u, %v, %fx, %fy, %cx, %cy, %k1, %k2, %seen_columns, %seen_rows
            : tensor<9x?xf64>, tensor<9x?xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>,
              tensor<f64>, tensor<9x?xf64>, tensor<9x?xf64>)
        outs(%u0, %u0 : tensor<9x?xf64>, tensor<9x?xf64>) {
    ^bb0(%nx: f64, %ny: f64, %f1: f64, %f2: f64, %o1: f64, %o2: f64, %d1: f64, %d2: f64, %su: f64, %sv: f64,
         %out1: f64, %out2: f64):
      %unit = arith.constant 1.0 : f64
      %q0 = arith.mulf %nx, %nx : f64
      %q1 = arith.mulf %ny, %ny : f64
      %q = arith.addf %q0, %q1 : f64
      %p0 = arith.mulf %d2, %q : f64
      %p1 = arith.addf %d1, %p0 : f64
      %p2 = arith.mulf %p1, %q : f64
      %distortion = arith.addf %unit, %p2 : f64
      %u1 = arith.mulf %f1, %distortion : f64
      %u2 = arith.mulf %u1, %nx : f64
      %u3 = arith.addf %u2, %o1 : f64
      %u4 = arith.subf %u3, %su : f64
      %v1 = arith.mulf %f2, %distortion : f64
      %v2 = arith.mulf %v1, %ny : f64
      %v3 = arith.addf %v2, %o2 : f64
      %v4 = arith.subf %v3, %sv : f64
      linalg.yield %u4, %v4 : f64, f64
    } -> (tensor<9x?xf64>, tensor<9x?xf64>)
    train.residuals %columns, %rows : tensor<9x?xf64>, tensor<9x?xf64>
  }
  return %objective, %objectives : tensor<f64>, tensor<10xf64>
}

}
