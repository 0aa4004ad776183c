"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<f32>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg10: tensor<4xf32>, %arg11: tensor<4xf32>, %arg12: tensor<4xi32>, %arg13: tensor<4xf32>):
    %37 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %39 = "stablehlo.constant"() <{value = dense<2.500000e-01> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %42 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %43 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %44 = "stablehlo.constant"() <{value = dense<2> : tensor<i64>}> : () -> tensor<i64>
    %45 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f16>}> : () -> tensor<f16>
    %46 = "stablehlo.convert"(%arg11) : (tensor<4xf32>) -> tensor<4xf16>
    %47 = "stablehlo.broadcast_in_dim"(%45) <{broadcast_dimensions = array<i64>}> : (tensor<f16>) -> tensor<4xf16>
    %48 = "stablehlo.multiply"(%46, %47) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %49 = "stablehlo.convert"(%arg12) : (tensor<4xi32>) -> tensor<4xf32>
    %50 = "stablehlo.multiply"(%arg10, %49) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %51 = "stablehlo.convert"(%48) : (tensor<4xf16>) -> tensor<4xf32>
    %52 = "stablehlo.add"(%50, %51) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %53 = "func.call"(%arg12, %44) <{callee = @floor_divide}> : (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>
    %54 = "stablehlo.convert"(%53) : (tensor<4xi32>) -> tensor<4xf32>
    %55 = "stablehlo.add"(%52, %54) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %56 = "func.call"(%arg12, %43) <{callee = @remainder}> : (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>
    %57 = "stablehlo.convert"(%56) : (tensor<4xi32>) -> tensor<4xf64>
    %58 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %59 = "stablehlo.multiply"(%57, %58) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %60 = "stablehlo.convert"(%59) : (tensor<4xf64>) -> tensor<4xf32>
    %61 = "stablehlo.subtract"(%55, %60) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %62 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %63 = "stablehlo.compare"(%arg12, %62) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %64 = "stablehlo.convert"(%63) : (tensor<4xi1>) -> tensor<4xf32>
    %65 = "stablehlo.add"(%61, %64) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %66 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %67 = "stablehlo.add"(%65, %66) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %68 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %69 = "stablehlo.shift_left"(%arg12, %68) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %70 = "stablehlo.convert"(%69) : (tensor<4xi32>) -> tensor<4xf32>
    %71 = "stablehlo.broadcast_in_dim"(%39) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %72 = "stablehlo.multiply"(%70, %71) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %73 = "stablehlo.add"(%67, %72) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %74 = "stablehlo.subtract"(%73, %arg13) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %75 = "stablehlo.multiply"(%74, %74) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %76 = "stablehlo.reduce"(%75, %38) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %78 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%78) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %77 = "stablehlo.divide"(%76, %37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%77) : (tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>, sym_name = "floor_divide", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<4xi32>, %arg9: tensor<i64>):
    %20 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %22 = "stablehlo.convert"(%arg9) : (tensor<i64>) -> tensor<i32>
    %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %24 = "stablehlo.divide"(%arg8, %23) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %25 = "stablehlo.sign"(%arg8) : (tensor<4xi32>) -> tensor<4xi32>
    %26 = "stablehlo.sign"(%22) : (tensor<i32>) -> tensor<i32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %28 = "stablehlo.compare"(%25, %27) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %29 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %30 = "stablehlo.remainder"(%arg8, %29) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %31 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %32 = "stablehlo.compare"(%30, %31) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %33 = "stablehlo.and"(%28, %32) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %34 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %35 = "stablehlo.subtract"(%24, %34) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %36 = "func.call"(%33, %35, %24) <{callee = @_where}> : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%36) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<4xi1>, %arg6: tensor<4xi32>, %arg7: tensor<4xi32>):
    %19 = "stablehlo.select"(%arg5, %arg6, %arg7) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%19) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>, sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<4xi32>, %arg4: tensor<i64>):
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.convert"(%arg4) : (tensor<i64>) -> tensor<i32>
    %4 = "stablehlo.compare"(%3, %2) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = "func.call"(%4, %1, %3) <{callee = @_where_0}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %7 = "stablehlo.remainder"(%arg3, %6) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %8 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %9 = "stablehlo.compare"(%7, %8) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %10 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %11 = "stablehlo.compare"(%7, %10) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %12 = "stablehlo.compare"(%5, %2) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4xi1>
    %14 = "stablehlo.compare"(%11, %13) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %15 = "stablehlo.and"(%14, %9) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %16 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4xi32>
    %17 = "stablehlo.add"(%7, %16) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %18 = "stablehlo.select"(%15, %17, %7) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%18) : (tensor<4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
