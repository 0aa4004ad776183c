"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x3xf64>, %arg1: tensor<2x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %2 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %5 = "stablehlo.abs"(%arg1) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %6:2 = "stablehlo.while"(%4, %5) ({
    ^bb0(%arg4: tensor<i64>, %arg5: tensor<2x3xf64>):
      %15 = "stablehlo.reduce"(%arg5, %3) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
        %17 = "stablehlo.add"(%arg6, %arg7) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        "stablehlo.return"(%17) : (tensor<f64>) -> ()
      }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
      %16 = "stablehlo.compare"(%15, %2) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%16) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<2x3xf64>):
      %12 = "stablehlo.add"(%arg2, %1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %13 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
      %14 = "stablehlo.multiply"(%arg3, %13) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%12, %14) : (tensor<i64>, tensor<2x3xf64>) -> ()
    }) : (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>)
    %7 = "stablehlo.custom_call"(%6#0) <{call_target_name = "flywheel.stop_gradient"}> : (tensor<i64>) -> tensor<i64>
    %8 = "stablehlo.convert"(%7) : (tensor<i64>) -> tensor<f64>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %10 = "stablehlo.multiply"(%arg1, %9) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %11 = "stablehlo.dot_general"(%10, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
    "func.return"(%11) : (tensor<2x3xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
