"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<3x3xf64>, %arg4: tensor<2x3xf64>):
    %9 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %10 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %12:4 = "stablehlo.while"(%arg3, %11, %11, %arg4) ({
    ^bb0(%arg9: tensor<3x3xf64>, %arg10: tensor<i64>, %arg11: tensor<i64>, %arg12: tensor<2x3xf64>):
      %15 = "stablehlo.compare"(%arg10, %10) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%15) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg5: tensor<3x3xf64>, %arg6: tensor<i64>, %arg7: tensor<i64>, %arg8: tensor<2x3xf64>):
      %13:2 = "func.call"(%arg5, %arg7, %arg8) <{callee = @closed_call}> : (tensor<3x3xf64>, tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>)
      %14 = "stablehlo.add"(%arg6, %9) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg5, %14, %13#0, %13#1) : (tensor<3x3xf64>, tensor<i64>, tensor<i64>, tensor<2x3xf64>) -> ()
    }) : (tensor<3x3xf64>, tensor<i64>, tensor<i64>, tensor<2x3xf64>) -> (tensor<3x3xf64>, tensor<i64>, tensor<i64>, tensor<2x3xf64>)
    "func.return"(%12#3) : (tensor<2x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x3xf64>, %arg1: tensor<i64>, %arg2: tensor<2x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.add"(%arg1, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "stablehlo.dot_general"(%arg2, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
    %3 = "stablehlo.tanh"(%2) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %4 = "stablehlo.add"(%arg1, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %5 = "stablehlo.convert"(%4) : (tensor<i64>) -> tensor<f64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %7 = "stablehlo.divide"(%3, %6) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %8 = "stablehlo.add"(%arg2, %7) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%1, %8) : (tensor<i64>, tensor<2x3xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
