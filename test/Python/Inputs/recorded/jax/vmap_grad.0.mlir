"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3xf64>, tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3xf64>, %arg1: tensor<4x3xf64>, %arg2: tensor<4x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %6 = "stablehlo.multiply"(%arg1, %5) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %7 = "stablehlo.sine"(%6) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %8 = "stablehlo.cosine"(%6) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %9 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %10 = "stablehlo.multiply"(%9, %7) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %11 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %14 = "stablehlo.multiply"(%13, %10) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %15 = "stablehlo.multiply"(%14, %8) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %16 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %18 = "stablehlo.multiply"(%15, %17) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %19 = "stablehlo.dot_general"(%arg1, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4xf64>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf64>) -> tensor<4x1xf64>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %22 = "stablehlo.add"(%18, %21) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %23 = "stablehlo.subtract"(%22, %arg2) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %24 = "stablehlo.multiply"(%23, %23) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %25 = "stablehlo.reduce"(%24, %1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %27 = "stablehlo.add"(%arg3, %arg4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%27) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
    %26 = "stablehlo.divide"(%25, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%26) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
