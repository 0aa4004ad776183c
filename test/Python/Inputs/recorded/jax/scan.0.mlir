"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<4x4xf64>, tensor<3x4xf64>, tensor<6x2x3xf64>, tensor<2x4xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<4x4xf64>, %arg10: tensor<3x4xf64>, %arg11: tensor<6x2x3xf64>, %arg12: tensor<2x4xf64>):
    %13 = "stablehlo.constant"() <{value = dense<8.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %14 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %15 = "stablehlo.constant"() <{value = dense<6> : tensor<i64>}> : () -> tensor<i64>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %17 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %19 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x2x4xf64>
    %20:6 = "stablehlo.while"(%arg11, %arg10, %arg9, %16, %18, %19) ({
    ^bb0(%arg23: tensor<6x2x3xf64>, %arg24: tensor<3x4xf64>, %arg25: tensor<4x4xf64>, %arg26: tensor<i64>, %arg27: tensor<2x4xf64>, %arg28: tensor<6x2x4xf64>):
      %33 = "stablehlo.compare"(%arg26, %15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%33) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg17: tensor<6x2x3xf64>, %arg18: tensor<3x4xf64>, %arg19: tensor<4x4xf64>, %arg20: tensor<i64>, %arg21: tensor<2x4xf64>, %arg22: tensor<6x2x4xf64>):
      %29 = "func.call"(%arg17, %arg20) <{callee = @dynamic_index_in_dim}> : (tensor<6x2x3xf64>, tensor<i64>) -> tensor<2x3xf64>
      %30:2 = "func.call"(%arg18, %arg19, %arg21, %29) <{callee = @closed_call}> : (tensor<3x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>)
      %31 = "func.call"(%arg22, %30#1, %arg20) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x2x4xf64>, tensor<2x4xf64>, tensor<i64>) -> tensor<6x2x4xf64>
      %32 = "stablehlo.add"(%arg20, %14) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%arg17, %arg18, %arg19, %32, %30#0, %31) : (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>) -> ()
    }) : (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>) -> (tensor<6x2x3xf64>, tensor<3x4xf64>, tensor<4x4xf64>, tensor<i64>, tensor<2x4xf64>, tensor<6x2x4xf64>)
    %21 = "stablehlo.reduce"(%20#5, %17) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg15: tensor<f64>, %arg16: tensor<f64>):
      %28 = "stablehlo.add"(%arg15, %arg16) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%28) : (tensor<f64>) -> ()
    }) : (tensor<6x2x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %22 = "stablehlo.add"(%20#4, %21) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %23 = "stablehlo.subtract"(%22, %arg12) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %24 = "stablehlo.multiply"(%23, %23) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %25 = "stablehlo.reduce"(%24, %17) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg13: tensor<f64>, %arg14: tensor<f64>):
      %27 = "stablehlo.add"(%arg13, %arg14) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%27) : (tensor<f64>) -> ()
    }) : (tensor<2x4xf64>, tensor<f64>) -> tensor<f64>
    %26 = "stablehlo.divide"(%25, %13) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%26) : (tensor<f64>) -> ()
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
