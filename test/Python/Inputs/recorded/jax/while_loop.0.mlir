"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x3xf64>, %arg1: tensor<2x3xf64>, %arg2: tensor<2x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.abs"(%arg1) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %7:2 = "stablehlo.while"(%5, %6) ({
    ^bb0(%arg7: tensor<i64>, %arg8: tensor<2x3xf64>):
      %21 = "stablehlo.reduce"(%arg8, %4) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg9: tensor<f64>, %arg10: tensor<f64>):
        %23 = "stablehlo.add"(%arg9, %arg10) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        "stablehlo.return"(%23) : (tensor<f64>) -> ()
      }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
      %22 = "stablehlo.compare"(%21, %3) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%22) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg5: tensor<i64>, %arg6: tensor<2x3xf64>):
      %18 = "stablehlo.add"(%arg5, %2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %19 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
      %20 = "stablehlo.multiply"(%arg6, %19) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%18, %20) : (tensor<i64>, tensor<2x3xf64>) -> ()
    }) : (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>)
    %8 = "stablehlo.custom_call"(%7#0) <{call_target_name = "flywheel.stop_gradient"}> : (tensor<i64>) -> tensor<i64>
    %9 = "stablehlo.convert"(%8) : (tensor<i64>) -> tensor<f64>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %11 = "stablehlo.multiply"(%arg1, %10) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %12 = "stablehlo.dot_general"(%11, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
    %13 = "stablehlo.subtract"(%12, %arg2) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %14 = "stablehlo.multiply"(%13, %13) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %15 = "stablehlo.reduce"(%14, %4) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %17 = "stablehlo.add"(%arg3, %arg4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%17) : (tensor<f64>) -> ()
    }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
    %16 = "stablehlo.divide"(%15, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%16) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
