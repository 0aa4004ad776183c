"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<6x6xf64>, tensor<6x18xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<6x6xf64>, %arg5: tensor<6x18xf64>, %arg6: tensor<2x4x6xf64>):
    %13 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %14 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %15 = "stablehlo.constant"() <{value = dense<0.79788456080286541> : tensor<f64>}> : () -> tensor<f64>
    %16 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<f64>}> : () -> tensor<f64>
    %17 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %18 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %19 = "stablehlo.constant"() <{value = dense<-1.000000e+09> : tensor<f64>}> : () -> tensor<f64>
    %20 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %21 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %22 = "stablehlo.dot_general"(%arg6, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x6xf64>, tensor<6x18xf64>) -> tensor<2x4x18xf64>
    %23 = "stablehlo.slice"(%22) <{limit_indices = array<i64: 2, 4, 6>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x4x18xf64>) -> tensor<2x4x6xf64>
    %24 = "stablehlo.slice"(%22) <{limit_indices = array<i64: 2, 4, 12>, start_indices = array<i64: 0, 0, 6>, strides = array<i64: 1, 1, 1>}> : (tensor<2x4x18xf64>) -> tensor<2x4x6xf64>
    %25 = "stablehlo.slice"(%22) <{limit_indices = array<i64: 2, 4, 18>, start_indices = array<i64: 0, 0, 12>, strides = array<i64: 1, 1, 1>}> : (tensor<2x4x18xf64>) -> tensor<2x4x6xf64>
    %26 = "stablehlo.dot_general"(%23, %24) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}> : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x4xf64>
    %27 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %28 = "stablehlo.divide"(%26, %27) : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %29 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4x4xi1>
    %30 = "func.call"(%29) <{callee = @tril}> : (tensor<4x4xi1>) -> tensor<4x4xi1>
    %31 = "func.call"(%30, %28, %19) <{callee = @_where}> : (tensor<4x4xi1>, tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4x4xf64>
    %32 = "stablehlo.reduce"(%31, %18) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg9: tensor<f64>, %arg10: tensor<f64>):
      %61 = "stablehlo.maximum"(%arg9, %arg10) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%61) : (tensor<f64>) -> ()
    }) : (tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %33 = "stablehlo.broadcast_in_dim"(%18) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4xf64>
    %34 = "stablehlo.maximum"(%33, %32) : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %36 = "stablehlo.custom_call"(%35) <{call_target_name = "flywheel.stop_gradient"}> : (tensor<2x4x1xf64>) -> tensor<2x4x1xf64>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x1xf64>) -> tensor<2x4x4xf64>
    %38 = "stablehlo.subtract"(%31, %37) : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %39 = "stablehlo.exponential"(%38) : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %40 = "stablehlo.reduce"(%39, %17) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg7: tensor<f64>, %arg8: tensor<f64>):
      %60 = "stablehlo.add"(%arg7, %arg8) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%60) : (tensor<f64>) -> ()
    }) : (tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x4x1xf64>) -> tensor<2x4x4xf64>
    %43 = "stablehlo.divide"(%39, %42) : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %44 = "stablehlo.dot_general"(%43, %25) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x4x4xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %45 = "stablehlo.dot_general"(%44, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x4x6xf64>, tensor<6x6xf64>) -> tensor<2x4x6xf64>
    %46 = "stablehlo.multiply"(%45, %45) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %47 = "stablehlo.multiply"(%46, %45) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %48 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x6xf64>
    %49 = "stablehlo.multiply"(%48, %47) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %50 = "stablehlo.add"(%45, %49) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %51 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x6xf64>
    %52 = "stablehlo.multiply"(%51, %50) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %53 = "stablehlo.tanh"(%52) : (tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %54 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x6xf64>
    %55 = "stablehlo.add"(%54, %53) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %56 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x6xf64>
    %57 = "stablehlo.multiply"(%56, %55) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %58 = "stablehlo.multiply"(%45, %57) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %59 = "stablehlo.add"(%arg6, %58) : (tensor<2x4x6xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    "func.return"(%59) : (tensor<2x4x6xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4xi1>) -> tensor<4x4xi1>, sym_name = "tril", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4x4xi1>):
    %4 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4x4xi64>
    %7 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i64>) -> tensor<4x4xi64>
    %8 = "stablehlo.add"(%6, %7) : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>
    %9 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x4xi64>
    %10 = "stablehlo.compare"(%8, %9) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %11 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4x4xi1>
    %12 = "stablehlo.select"(%10, %arg3, %11) : (tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi1>) -> tensor<4x4xi1>
    "func.return"(%12) : (tensor<4x4xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4xi1>, tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4x4xf64>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x4xi1>, %arg1: tensor<2x4x4xf64>, %arg2: tensor<f64>):
    %0 = "stablehlo.convert"(%arg2) : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %2 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x4x4xf64>
    %3 = "stablehlo.select"(%1, %arg1, %2) : (tensor<2x4x4xi1>, tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    "func.return"(%3) : (tensor<2x4x4xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
