"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<3x3xf64>, %arg6: tensor<2x3xf64>, %arg7: tensor<2x3xf64>):
    %13 = "stablehlo.constant"() <{value = dense<6.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %14 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %15 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %18 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %19 = "stablehlo.dot_general"(%arg6, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
    %20 = "stablehlo.reduce"(%19, %18) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg10: tensor<f64>, %arg11: tensor<f64>):
      %42 = "stablehlo.add"(%arg10, %arg11) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%42) : (tensor<f64>) -> ()
    }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
    %21 = "stablehlo.compare"(%20, %18) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %22 = "stablehlo.convert"(%21) : (tensor<i1>) -> tensor<i32>
    %23 = "stablehlo.case"(%22) ({
      %40 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
      %41 = "stablehlo.multiply"(%19, %40) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%41) : (tensor<2x3xf64>) -> ()
    }, {
      %39 = "stablehlo.sine"(%19) : (tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%39) : (tensor<2x3xf64>) -> ()
    }) : (tensor<i32>) -> tensor<2x3xf64>
    %24 = "stablehlo.slice"(%19) <{limit_indices = array<i64: 1, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %25 = "stablehlo.reshape"(%24) : (tensor<1x3xf64>) -> tensor<3xf64>
    %26 = "func.call"(%25) <{callee = @argmax}> : (tensor<3xf64>) -> tensor<i64>
    %27 = "stablehlo.convert"(%26) : (tensor<i64>) -> tensor<i32>
    %28 = "stablehlo.clamp"(%16, %27, %15) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %29 = "stablehlo.case"(%28) ({
      %37 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
      %38 = "stablehlo.add"(%23, %37) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%38) : (tensor<2x3xf64>) -> ()
    }, {
      %36 = "stablehlo.multiply"(%23, %23) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%36) : (tensor<2x3xf64>) -> ()
    }, {
      %35 = "stablehlo.cosine"(%23) : (tensor<2x3xf64>) -> tensor<2x3xf64>
      "stablehlo.return"(%35) : (tensor<2x3xf64>) -> ()
    }) : (tensor<i32>) -> tensor<2x3xf64>
    %30 = "stablehlo.subtract"(%29, %arg7) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %31 = "stablehlo.multiply"(%30, %30) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %32 = "stablehlo.reduce"(%31, %18) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %34 = "stablehlo.add"(%arg8, %arg9) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%34) : (tensor<f64>) -> ()
    }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
    %33 = "stablehlo.divide"(%32, %13) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%33) : (tensor<f64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf64>) -> tensor<i64>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %2 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xi64>
    %3:2 = "stablehlo.reduce"(%arg0, %2, %1, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<i64>, %arg3: tensor<f64>, %arg4: tensor<i64>):
      %4 = "stablehlo.compare"(%arg1, %arg3) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %5 = "stablehlo.compare"(%arg1, %arg1) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = "stablehlo.or"(%4, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %7 = "stablehlo.compare"(%arg1, %arg3) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %8 = "stablehlo.compare"(%arg2, %arg4) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %9 = "stablehlo.and"(%7, %8) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %10 = "stablehlo.or"(%6, %9) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %11 = "stablehlo.select"(%6, %arg1, %arg3) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %12 = "stablehlo.select"(%10, %arg2, %arg4) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%11, %12) : (tensor<f64>, tensor<i64>) -> ()
    }) : (tensor<3xf64>, tensor<3xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)
    "func.return"(%3#1) : (tensor<i64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
