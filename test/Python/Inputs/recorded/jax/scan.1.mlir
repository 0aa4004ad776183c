"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<4x4xf64>, tensor<3x4xf64>, tensor<6x2x3xf64>) -> tensor<2x4xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<4x4xf64>, %arg10: tensor<3x4xf64>, %arg11: tensor<6x2x3xf64>):
    %13 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %14 = "stablehlo.constant"() <{value = dense<6> : tensor<i64>}> : () -> tensor<i64>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %18 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x2x4xf64>
    %19:6 = "stablehlo.while"(%arg11, %arg10, %arg9, %15, %17, %18) ({
    ^bb0(%arg20: tensor<6x2x3xf64>, %arg21: tensor<3x4xf64>, %arg22: tensor<4x4xf64>, %arg23: tensor<i64>, %arg24: tensor<2x4xf64>, %arg25: tensor<6x2x4xf64>):
      %27 = "stablehlo.compare"(%arg23, %14) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%27) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg14: tensor<6x2x3xf64>, %arg15: tensor<3x4xf64>, %arg16: tensor<4x4xf64>, %arg17: tensor<i64>, %arg18: tensor<2x4xf64>, %arg19: tensor<6x2x4xf64>):
      %23 = "func.call"(%arg14, %arg17) <{callee = @dynamic_index_in_dim}> : (tensor<6x2x3xf64>, tensor<i64>) -> tensor<2x3xf64>
      %24:2 = "func.call"(%arg15, %arg16, %arg18, %23) <{callee = @closed_call}> : (tensor<3x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>)
      %25 = "func.call"(%arg19, %24#1, %arg17) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x2x4xf64>, tensor<2x4xf64>, tensor<i64>) -> tensor<6x2x4xf64>
      %26 = "stablehlo.add"(%arg17, %13) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg14, %arg15, %arg16, %26, %24#0, %25) : (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>) -> ()
    }) : (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>) -> (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>)
    %20 = "stablehlo.reduce"(%19#5, %16) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg12: tensor<f64>, %arg13: tensor<f64>):
      %22 = "stablehlo.add"(%arg12, %arg13) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%22) : (tensor<f64>) -> ()
    }) : (tensor<6x2x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %21 = "stablehlo.add"(%19#4, %20) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    "func.return"(%21) : (tensor<2x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x2x3xf64>, tensor<i64>) -> tensor<2x3xf64>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<6x2x3xf64>, %arg8: tensor<i64>):
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %11 = "stablehlo.dynamic_slice"(%arg7, %arg8, %10, %10) <{slice_sizes = array<i64: 1, 2, 3>}> : (tensor<6x2x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x3xf64>
    %12 = "stablehlo.reshape"(%11) : (tensor<1x2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%12) : (tensor<2x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>), sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<3x4xf64>, %arg4: tensor<4x4xf64>, %arg5: tensor<2x4xf64>, %arg6: tensor<2x3xf64>):
    %3 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.dot_general"(%arg6, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
    %5 = "stablehlo.dot_general"(%arg5, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %6 = "stablehlo.add"(%4, %5) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %7 = "stablehlo.tanh"(%6) : (tensor<2x4xf64>) -> tensor<2x4xf64>
    %8 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %9 = "stablehlo.multiply"(%7, %8) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    "func.return"(%7, %9) : (tensor<2x4xf64>, tensor<2x4xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x2x4xf64>, tensor<2x4xf64>, tensor<i64>) -> tensor<6x2x4xf64>, sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6x2x4xf64>, %arg1: tensor<2x4xf64>, %arg2: tensor<i64>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2x4xf64>) -> tensor<1x2x4xf64>
    %2 = "stablehlo.dynamic_update_slice"(%arg0, %1, %arg2, %0, %0) : (tensor<6x2x4xf64>, tensor<1x2x4xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<6x2x4xf64>
    "func.return"(%2) : (tensor<6x2x4xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
