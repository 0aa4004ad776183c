"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg28: tensor<4x3xf64>, %arg29: tensor<4x3xf64>):
    %57 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %58 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %59 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %60 = "stablehlo.multiply"(%arg29, %arg28) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %61 = "stablehlo.reduce"(%60, %59) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg34: tensor<f64>, %arg35: tensor<f64>):
      %95 = "stablehlo.maximum"(%arg34, %arg35) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%95) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %62 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4xf64>
    %63 = "stablehlo.maximum"(%62, %61) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %64 = "stablehlo.broadcast_in_dim"(%63) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf64>) -> tensor<4x1xf64>
    %65 = "stablehlo.custom_call"(%64) <{call_target_name = "flywheel.stop_gradient"}> : (tensor<4x1xf64>) -> tensor<4x1xf64>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %67 = "stablehlo.subtract"(%60, %66) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %68 = "stablehlo.exponential"(%67) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %69 = "stablehlo.reduce"(%68, %58) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg32: tensor<f64>, %arg33: tensor<f64>):
      %94 = "stablehlo.add"(%arg32, %arg33) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%94) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %70 = "stablehlo.broadcast_in_dim"(%69) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf64>) -> tensor<4x1xf64>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %72 = "stablehlo.divide"(%68, %71) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %73 = "func.call"(%60) <{callee = @log_softmax}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %74 = "stablehlo.add"(%72, %73) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %75 = "func.call"(%60) <{callee = @cumsum}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %76 = "stablehlo.tanh"(%60) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %77 = "func.call"(%76) <{callee = @cumprod}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %78 = "stablehlo.add"(%75, %77) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %79 = "func.call"(%60) <{callee = @cumsum_2}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %80 = "stablehlo.add"(%78, %79) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %81 = "stablehlo.add"(%74, %80) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %82 = "stablehlo.reduce"(%60, %59) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg30: tensor<f64>, %arg31: tensor<f64>):
      %93 = "stablehlo.maximum"(%arg30, %arg31) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%93) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf64>) -> tensor<4x1xf64>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %85 = "stablehlo.add"(%81, %84) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %86 = "func.call"(%60, %57) <{callee = @_var}> : (tensor<4x3xf64>, tensor<i64>) -> tensor<3xf64>
    %87 = "stablehlo.broadcast_in_dim"(%86) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %89 = "stablehlo.add"(%85, %88) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %90 = "func.call"(%60) <{callee = @norm}> : (tensor<4x3xf64>) -> tensor<f64>
    %91 = "stablehlo.broadcast_in_dim"(%90) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %92 = "stablehlo.add"(%89, %91) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%92) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<4x3xf64>):
    %40 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %41 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %42 = "stablehlo.reduce"(%arg23, %41) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg26: tensor<f64>, %arg27: tensor<f64>):
      %56 = "stablehlo.maximum"(%arg26, %arg27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%56) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<3xf64>
    %43 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %44 = "stablehlo.maximum"(%43, %42) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %46 = "stablehlo.custom_call"(%45) <{call_target_name = "flywheel.stop_gradient"}> : (tensor<1x3xf64>) -> tensor<1x3xf64>
    %47 = "stablehlo.broadcast_in_dim"(%46) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %48 = "stablehlo.subtract"(%arg23, %47) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %49 = "stablehlo.exponential"(%48) : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %50 = "stablehlo.reduce"(%49, %40) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg24: tensor<f64>, %arg25: tensor<f64>):
      %55 = "stablehlo.add"(%arg24, %arg25) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%55) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<3xf64>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %52 = "stablehlo.log"(%51) : (tensor<1x3xf64>) -> tensor<1x3xf64>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %54 = "stablehlo.subtract"(%48, %53) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%54) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<4x3xf64>):
    %39 = "func.call"(%arg22) <{callee = @cumsum_0}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%39) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "cumsum_0", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<4x3xf64>):
    %35 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<f64>
    %37 = "stablehlo.reduce_window"(%arg19, %36) <{padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
    ^bb0(%arg20: tensor<f64>, %arg21: tensor<f64>):
      %38 = "stablehlo.add"(%arg20, %arg21) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%38) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    "func.return"(%37) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "cumprod", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<4x3xf64>):
    %34 = "func.call"(%arg18) <{callee = @cumprod_1}> : (tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%34) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "cumprod_1", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<4x3xf64>):
    %31 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %32 = "stablehlo.reduce_window"(%arg15, %31) <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
    ^bb0(%arg16: tensor<f64>, %arg17: tensor<f64>):
      %33 = "stablehlo.multiply"(%arg16, %arg17) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%33) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    "func.return"(%32) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<4x3xf64>, sym_name = "cumsum_2", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<4x3xf64>):
    %27 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<f64>
    %29 = "stablehlo.reduce_window"(%arg12, %28) <{padding = dense<[[0, 0], [0, 2]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
    ^bb0(%arg13: tensor<f64>, %arg14: tensor<f64>):
      %30 = "stablehlo.add"(%arg13, %arg14) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%30) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x3xf64>
    "func.return"(%29) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>, tensor<i64>) -> tensor<3xf64>, sym_name = "_var", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<4x3xf64>, %arg7: tensor<i64>):
    %8 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %9 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %11 = "stablehlo.reduce"(%arg6, %10) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg10: tensor<f64>, %arg11: tensor<f64>):
      %26 = "stablehlo.add"(%arg10, %arg11) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%26) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<3xf64>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf64>) -> tensor<1x3xf64>
    %13 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<1x3xf64>
    %14 = "stablehlo.divide"(%12, %13) : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf64>) -> tensor<4x3xf64>
    %16 = "stablehlo.subtract"(%arg6, %15) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %17 = "stablehlo.multiply"(%16, %16) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %18 = "stablehlo.convert"(%arg7) : (tensor<i64>) -> tensor<f64>
    %19 = "stablehlo.subtract"(%9, %18) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %20 = "stablehlo.reduce"(%17, %10) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %25 = "stablehlo.add"(%arg8, %arg9) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%25) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<3xf64>
    %21 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %22 = "stablehlo.divide"(%20, %21) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %23 = "stablehlo.compare"(%19, %10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %24 = "func.call"(%23, %22, %8) <{callee = @_where}> : (tensor<i1>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    "func.return"(%24) : (tensor<3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<3xf64>, %arg5: tensor<f64>):
    %5 = "stablehlo.convert"(%arg5) : (tensor<f64>) -> tensor<f64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %7 = "stablehlo.select"(%arg3, %arg4, %6) : (tensor<i1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    "func.return"(%7) : (tensor<3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>) -> tensor<f64>, sym_name = "norm", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %2 = "stablehlo.reduce"(%1, %0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %4 = "stablehlo.add"(%arg1, %arg2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%4) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
    %3 = "stablehlo.sqrt"(%2) : (tensor<f64>) -> tensor<f64>
    "func.return"(%3) : (tensor<f64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
