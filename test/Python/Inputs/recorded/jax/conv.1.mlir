"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3x2x4xf64>, tensor<2x2x4x2xf64>, tensor<2x6x5x4xf64>) -> tensor<2x4x8x2xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x3x2x4xf64>, %arg1: tensor<2x2x4x2xf64>, %arg2: tensor<2x6x5x4xf64>):
    %0 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.convolution"(%arg2, %arg0) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, padding = dense<[[0, 1], [2, 2]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 2>, window_strides = array<i64: 2, 1>}> : (tensor<2x6x5x4xf64>, tensor<3x3x2x4xf64>) -> tensor<2x3x5x4xf64>
    %2 = "stablehlo.tanh"(%1) : (tensor<2x3x5x4xf64>) -> tensor<2x3x5x4xf64>
    %3 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<f64>
    %4 = "stablehlo.reduce_window"(%2, %3) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %6 = "stablehlo.maximum"(%arg3, %arg4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%6) : (tensor<f64>) -> ()
    }) : (tensor<2x3x5x4xf64>, tensor<f64>) -> tensor<2x2x4x4xf64>
    %5 = "stablehlo.convolution"(%4, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, padding = dense<1> : tensor<2x2xi64>}> : (tensor<2x2x4x4xf64>, tensor<2x2x4x2xf64>) -> tensor<2x4x8x2xf64>
    "func.return"(%5) : (tensor<2x4x8x2xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
