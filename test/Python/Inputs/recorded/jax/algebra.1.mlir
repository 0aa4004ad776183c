"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<3x3xf64>, %arg2: tensor<4x3xf64>):
    %15 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %17 = "stablehlo.transpose"(%arg1) <{permutation = array<i64: 1, 0>}> : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %18 = "stablehlo.dot_general"(%arg1, %17) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %19 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3x3xi64>
    %20 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x3xi64>
    %21 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<3x3xi64>
    %22 = "stablehlo.add"(%19, %21) : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
    %23 = "stablehlo.compare"(%22, %20) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %24 = "stablehlo.convert"(%23) : (tensor<3x3xi1>) -> tensor<3x3xf64>
    %25 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3x3xf64>
    %26 = "stablehlo.multiply"(%25, %24) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %27 = "stablehlo.add"(%18, %26) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %28 = "func.call"(%27) <{callee = @cholesky}> : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %29 = "stablehlo.custom_call"(%28, %arg2) <{backend_config = "lower", call_target_name = "flywheel.triangular_solve"}> : (tensor<3x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %30 = "stablehlo.dot_general"(%29, %28) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x3xf64>, tensor<3x3xf64>) -> tensor<4x3xf64>
    "func.return"(%30) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf64>) -> tensor<3x3xf64>, sym_name = "cholesky", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %2 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %4 = "stablehlo.add"(%arg0, %3) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %5 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3x3xf64>
    %6 = "stablehlo.divide"(%4, %5) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %7 = "stablehlo.custom_call"(%6) <{call_target_name = "flywheel.cholesky"}> : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %8 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3x3xi64>
    %9 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<3x3xi64>
    %10 = "stablehlo.add"(%8, %9) : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
    %11 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x3xi64>
    %12 = "stablehlo.compare"(%10, %11) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %13 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3x3xf64>
    %14 = "stablehlo.select"(%12, %7, %13) : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    "func.return"(%14) : (tensor<3x3xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
