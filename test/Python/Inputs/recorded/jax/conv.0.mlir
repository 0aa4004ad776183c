"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3x2x4xf64>, tensor<2x2x4x2xf64>, tensor<2x6x5x4xf64>, tensor<2x4x8x2xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x3x2x4xf64>, %arg1: tensor<2x2x4x2xf64>, %arg2: tensor<2x6x5x4xf64>, %arg3: tensor<2x4x8x2xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1.280000e+02> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.convolution"(%arg2, %arg0) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, padding = dense<[[0, 1], [2, 2]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 2>, window_strides = array<i64: 2, 1>}> : (tensor<2x6x5x4xf64>, tensor<3x3x2x4xf64>) -> tensor<2x3x5x4xf64>
    %4 = "stablehlo.tanh"(%3) : (tensor<2x3x5x4xf64>) -> tensor<2x3x5x4xf64>
    %5 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<f64>
    %6 = "stablehlo.reduce_window"(%4, %5) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %13 = "stablehlo.maximum"(%arg6, %arg7) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%13) : (tensor<f64>) -> ()
    }) : (tensor<2x3x5x4xf64>, tensor<f64>) -> tensor<2x2x4x4xf64>
    %7 = "stablehlo.convolution"(%6, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<1> : tensor<2x2xi64>}> : (tensor<2x2x4x4xf64>, tensor<2x2x4x2xf64>) -> tensor<2x4x8x2xf64>
    %8 = "stablehlo.subtract"(%7, %arg3) : (tensor<2x4x8x2xf64>, tensor<2x4x8x2xf64>) -> tensor<2x4x8x2xf64>
    %9 = "stablehlo.multiply"(%8, %8) : (tensor<2x4x8x2xf64>, tensor<2x4x8x2xf64>) -> tensor<2x4x8x2xf64>
    %10 = "stablehlo.reduce"(%9, %1) <{dimensions = array<i64: 0, 1, 2, 3>}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %12 = "stablehlo.add"(%arg4, %arg5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%12) : (tensor<f64>) -> ()
    }) : (tensor<2x4x8x2xf64>, tensor<f64>) -> tensor<f64>
    %11 = "stablehlo.divide"(%10, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%11) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
