"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x2xf64>, tensor<?x3xf64>) -> tensor<?x2xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<3x2xf64>, %arg8: tensor<?x3xf64>):
    %30 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %31 = "stablehlo.get_dimension_size"(%arg8) <{dimension = 0 : i64}> : (tensor<?x3xf64>) -> tensor<i32>
    %32 = "stablehlo.convert"(%31) : (tensor<i32>) -> tensor<i64>
    %33 = "stablehlo.compare"(%32, %30) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.custom_call"(%33, %32) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'batch'. Using the following polymorphic shapes specifications: args[1].shape = (batch, 3). Obtained dimension variables: 'batch' = {0} from specification 'batch' for dimension args[1].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i64>) -> ()
    %34 = "func.call"(%32, %arg7, %arg8) <{callee = @_wrapped_jax_export_main}> : (tensor<i64>, tensor<3x2xf64>, tensor<?x3xf64>) -> tensor<?x2xf64>
    "func.return"(%34) : (tensor<?x2xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "batch"}, {}, {}], function_type = (tensor<i64>, tensor<3x2xf64>, tensor<?x3xf64>) -> tensor<?x2xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i64>, %arg1: tensor<3x2xf64>, %arg2: tensor<?x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.dot_general"(%arg2, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x3xf64>, tensor<3x2xf64>) -> tensor<?x2xf64>
    %4 = "stablehlo.tanh"(%3) : (tensor<?x2xf64>) -> tensor<?x2xf64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<f64>
    %6 = "stablehlo.reduce"(%4, %2) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %29 = "stablehlo.add"(%arg5, %arg6) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%29) : (tensor<f64>) -> ()
    }) : (tensor<?x2xf64>, tensor<f64>) -> tensor<2xf64>
    %7 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2xf64>
    %8 = "stablehlo.divide"(%6, %7) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2xf64>) -> tensor<1x2xf64>
    %10 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i32>
    %11 = "stablehlo.reshape"(%10) : (tensor<i32>) -> tensor<1xi32>
    %12 = "stablehlo.concatenate"(%11, %1) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %13 = "stablehlo.dynamic_broadcast_in_dim"(%9, %12) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x2xf64>, tensor<2xi32>) -> tensor<?x2xf64>
    %14 = "stablehlo.subtract"(%4, %13) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %15 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i64>
    %16 = "stablehlo.multiply"(%15, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %17 = "stablehlo.convert"(%16) : (tensor<i64>) -> tensor<i32>
    %18 = "stablehlo.reshape"(%17) : (tensor<i32>) -> tensor<1xi32>
    %19 = "stablehlo.dynamic_reshape"(%arg2, %18) : (tensor<?x3xf64>, tensor<1xi32>) -> tensor<?xf64>
    %20 = "stablehlo.reduce"(%19, %2) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %28 = "stablehlo.add"(%arg3, %arg4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%28) : (tensor<f64>) -> ()
    }) : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
    %21 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<f64>
    %22 = "stablehlo.divide"(%20, %21) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %23 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i32>
    %24 = "stablehlo.reshape"(%23) : (tensor<i32>) -> tensor<1xi32>
    %25 = "stablehlo.concatenate"(%24, %1) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %26 = "stablehlo.dynamic_broadcast_in_dim"(%22, %25) <{broadcast_dimensions = array<i64>}> : (tensor<f64>, tensor<2xi32>) -> tensor<?x2xf64>
    %27 = "stablehlo.add"(%14, %26) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    "func.return"(%27) : (tensor<?x2xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
