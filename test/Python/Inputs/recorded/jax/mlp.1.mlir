"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<8xf64>, tensor<4x8xf64>, tensor<8x3xf64>, tensor<5x4xf64>) -> tensor<5x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64>, %arg1: tensor<4x8xf64>, %arg2: tensor<8x3xf64>, %arg3: tensor<5x4xf64>):
    %0 = "stablehlo.dot_general"(%arg3, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<5x4xf64>, tensor<4x8xf64>) -> tensor<5x8xf64>
    %1 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf64>) -> tensor<1x8xf64>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x8xf64>) -> tensor<5x8xf64>
    %3 = "stablehlo.add"(%0, %2) : (tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xf64>
    %4 = "stablehlo.custom_call"(%3) <{call_target_name = "flywheel.relu"}> : (tensor<5x8xf64>) -> tensor<5x8xf64>
    %5 = "stablehlo.dot_general"(%4, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<5x8xf64>, tensor<8x3xf64>) -> tensor<5x3xf64>
    "func.return"(%5) : (tensor<5x3xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
