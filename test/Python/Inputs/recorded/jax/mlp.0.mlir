"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<8xf64>, tensor<4x8xf64>, tensor<8x3xf64>, tensor<5x4xf64>, tensor<5x3xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64>, %arg1: tensor<4x8xf64>, %arg2: tensor<8x3xf64>, %arg3: tensor<5x4xf64>, %arg4: tensor<5x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1.500000e+01> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.dot_general"(%arg3, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<5x4xf64>, tensor<4x8xf64>) -> tensor<5x8xf64>
    %3 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1x8xf64>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xf64>) -> tensor<5x8xf64>
    %5 = "stablehlo.add"(%2, %4) : (tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xf64>
    %6 = "stablehlo.custom_call"(%5) <{call_target_name = "flywheel.relu"}> : (tensor<5x8xf64>) -> tensor<5x8xf64>
    %7 = "stablehlo.dot_general"(%6, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<5x8xf64>, tensor<8x3xf64>) -> tensor<5x3xf64>
    %8 = "stablehlo.subtract"(%7, %arg4) : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xf64>
    %9 = "stablehlo.multiply"(%8, %8) : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xf64>
    %10 = "stablehlo.reduce"(%9, %1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %12 = "stablehlo.add"(%arg5, %arg6) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%12) : (tensor<f64>) -> ()
    }) : (tensor<5x3xf64>, tensor<f64>) -> tensor<f64>
    %11 = "stablehlo.divide"(%10, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%11) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
