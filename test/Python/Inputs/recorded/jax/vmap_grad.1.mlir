"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3xf64>, %arg1: tensor<4x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %4 = "stablehlo.multiply"(%arg1, %3) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %5 = "stablehlo.sine"(%4) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %6 = "stablehlo.cosine"(%4) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %7 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %8 = "stablehlo.multiply"(%7, %5) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %9 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %12 = "stablehlo.multiply"(%11, %8) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %13 = "stablehlo.multiply"(%12, %6) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %14 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %16 = "stablehlo.multiply"(%13, %15) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %17 = "stablehlo.dot_general"(%arg1, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4xf64>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf64>) -> tensor<4x1xf64>
    %19 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %20 = "stablehlo.add"(%16, %19) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%20) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
