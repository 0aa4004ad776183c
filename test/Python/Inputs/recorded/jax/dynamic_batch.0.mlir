"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x2xf64>, tensor<?x3xf64>, tensor<?x2xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg10: tensor<3x2xf64>, %arg11: tensor<?x3xf64>, %arg12: tensor<?x2xf64>):
    %39 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %40 = "stablehlo.get_dimension_size"(%arg11) <{dimension = 0 : i64}> : (tensor<?x3xf64>) -> tensor<i32>
    %41 = "stablehlo.convert"(%40) : (tensor<i32>) -> tensor<i64>
    %42 = "stablehlo.get_dimension_size"(%arg12) <{dimension = 0 : i64}> : (tensor<?x2xf64>) -> tensor<i32>
    %43 = "stablehlo.convert"(%42) : (tensor<i32>) -> tensor<i64>
    %44 = "stablehlo.compare"(%41, %39) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.custom_call"(%44, %41) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'batch'. Using the following polymorphic shapes specifications: args[1].shape = (batch, 3),args[2].shape = (batch, 2). Obtained dimension variables: 'batch' = {0} from specification 'batch' for dimension args[1].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i64>) -> ()
    %45 = "stablehlo.compare"(%43, %41) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.custom_call"(%45, %43, %41) <{api_version = 2 : i32, call_target_name = "shape_assertion", has_side_effect = true}> {error_message = "Input shapes do not match the polymorphic shapes specification. Found inconsistency between dimension size args[2].shape[0] (= {0}) and the specification 'batch' (= {1}). Using the following polymorphic shapes specifications: args[1].shape = (batch, 3),args[2].shape = (batch, 2). Obtained dimension variables: 'batch' = {1} from specification 'batch' for dimension args[1].shape[0] (= {1}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details."} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %46 = "func.call"(%41, %arg10, %arg11, %arg12) <{callee = @_wrapped_jax_export_main}> : (tensor<i64>, tensor<3x2xf64>, tensor<?x3xf64>, tensor<?x2xf64>) -> tensor<f64>
    "func.return"(%46) : (tensor<f64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{jax.global_constant = "batch"}, {}, {}, {}], function_type = (tensor<i64>, tensor<3x2xf64>, tensor<?x3xf64>, tensor<?x2xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i64>, %arg1: tensor<3x2xf64>, %arg2: tensor<?x3xf64>, %arg3: tensor<?x2xf64>):
    %0 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "stablehlo.constant"() <{value = dense<2> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %4 = "stablehlo.dot_general"(%arg2, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<?x3xf64>, tensor<3x2xf64>) -> tensor<?x2xf64>
    %5 = "stablehlo.tanh"(%4) : (tensor<?x2xf64>) -> tensor<?x2xf64>
    %6 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<f64>
    %7 = "stablehlo.reduce"(%5, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %38 = "stablehlo.add"(%arg8, %arg9) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%38) : (tensor<f64>) -> ()
    }) : (tensor<?x2xf64>, tensor<f64>) -> tensor<2xf64>
    %8 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2xf64>
    %9 = "stablehlo.divide"(%7, %8) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2xf64>) -> tensor<1x2xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i32>
    %12 = "stablehlo.reshape"(%11) : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.concatenate"(%12, %1) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %14 = "stablehlo.dynamic_broadcast_in_dim"(%10, %13) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x2xf64>, tensor<2xi32>) -> tensor<?x2xf64>
    %15 = "stablehlo.subtract"(%5, %14) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %16 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i64>
    %17 = "stablehlo.multiply"(%16, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %18 = "stablehlo.convert"(%17) : (tensor<i64>) -> tensor<i32>
    %19 = "stablehlo.reshape"(%18) : (tensor<i32>) -> tensor<1xi32>
    %20 = "stablehlo.dynamic_reshape"(%arg2, %19) : (tensor<?x3xf64>, tensor<1xi32>) -> tensor<?xf64>
    %21 = "stablehlo.reduce"(%20, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %37 = "stablehlo.add"(%arg6, %arg7) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%37) : (tensor<f64>) -> ()
    }) : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
    %22 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<f64>
    %23 = "stablehlo.divide"(%21, %22) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %24 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i32>
    %25 = "stablehlo.reshape"(%24) : (tensor<i32>) -> tensor<1xi32>
    %26 = "stablehlo.concatenate"(%25, %1) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %27 = "stablehlo.dynamic_broadcast_in_dim"(%23, %26) <{broadcast_dimensions = array<i64>}> : (tensor<f64>, tensor<2xi32>) -> tensor<?x2xf64>
    %28 = "stablehlo.add"(%15, %27) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %29 = "stablehlo.subtract"(%28, %arg3) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %30 = "stablehlo.multiply"(%29, %29) : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
    %31 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<i64>
    %32 = "stablehlo.multiply"(%31, %2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %33 = "stablehlo.convert"(%32) : (tensor<i64>) -> tensor<f64>
    %34 = "stablehlo.reduce"(%30, %3) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %36 = "stablehlo.add"(%arg4, %arg5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%36) : (tensor<f64>) -> ()
    }) : (tensor<?x2xf64>, tensor<f64>) -> tensor<f64>
    %35 = "stablehlo.divide"(%34, %33) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%35) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
