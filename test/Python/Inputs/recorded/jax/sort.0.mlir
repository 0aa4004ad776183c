"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<3x5xf64>, tensor<4x3xf64>, tensor<4x5xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg17: tensor<3x5xf64>, %arg18: tensor<4x3xf64>, %arg19: tensor<4x5xf64>):
    %53 = "stablehlo.constant"() <{value = dense<2.000000e+01> : tensor<f64>}> : () -> tensor<f64>
    %54 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %55 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %56 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %57 = "stablehlo.dot_general"(%arg18, %arg17) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x3xf64>, tensor<3x5xf64>) -> tensor<4x5xf64>
    %58:2 = "stablehlo.composite"(%57) <{composite_attributes = {k = 2 : i64}, decomposition = @chlo.top_k.impl, name = "chlo.top_k", version = 1 : i32}> : (tensor<4x5xf64>) -> (tensor<4x2xf64>, tensor<4x2xi32>)
    %59 = "stablehlo.slice"(%57) <{limit_indices = array<i64: 1, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x5xf64>) -> tensor<1x5xf64>
    %60 = "stablehlo.reshape"(%59) : (tensor<1x5xf64>) -> tensor<5xf64>
    %61 = "stablehlo.slice"(%57) <{limit_indices = array<i64: 2, 5>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<4x5xf64>) -> tensor<1x5xf64>
    %62 = "stablehlo.reshape"(%61) : (tensor<1x5xf64>) -> tensor<5xf64>
    %63:2 = "stablehlo.sort"(%60, %62) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg24: tensor<f64>, %arg25: tensor<f64>, %arg26: tensor<f64>, %arg27: tensor<f64>):
      %83 = "stablehlo.compare"(%arg24, %56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %84 = "stablehlo.select"(%83, %56, %arg24) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %85 = "stablehlo.compare"(%arg24, %arg24) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %86 = "stablehlo.select"(%85, %55, %84) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %87 = "stablehlo.compare"(%arg25, %56) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %88 = "stablehlo.select"(%87, %56, %arg25) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %89 = "stablehlo.compare"(%arg25, %arg25) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %90 = "stablehlo.select"(%89, %55, %88) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %91 = "stablehlo.compare"(%86, %90) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%91) : (tensor<i1>) -> ()
    }) : (tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
    %64 = "func.call"(%57) <{callee = @sort}> : (tensor<4x5xf64>) -> tensor<4x5xf64>
    %65 = "stablehlo.negate"(%57) : (tensor<4x5xf64>) -> tensor<4x5xf64>
    %66 = "func.call"(%65) <{callee = @argsort}> : (tensor<4x5xf64>) -> tensor<4x5xi64>
    %67 = "func.call"(%57, %66) <{callee = @take_along_axis}> : (tensor<4x5xf64>, tensor<4x5xi64>) -> tensor<4x5xf64>
    %68 = "stablehlo.broadcast_in_dim"(%54) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x5xf64>
    %69 = "stablehlo.multiply"(%67, %68) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %70 = "stablehlo.add"(%64, %69) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %71 = "stablehlo.reduce"(%58#0, %56) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg22: tensor<f64>, %arg23: tensor<f64>):
      %82 = "stablehlo.add"(%arg22, %arg23) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%82) : (tensor<f64>) -> ()
    }) : (tensor<4x2xf64>, tensor<f64>) -> tensor<f64>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x5xf64>
    %73 = "stablehlo.add"(%70, %72) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %74 = "stablehlo.broadcast_in_dim"(%63#1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<5xf64>) -> tensor<1x5xf64>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xf64>) -> tensor<4x5xf64>
    %76 = "stablehlo.add"(%73, %75) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %77 = "stablehlo.subtract"(%76, %arg19) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %78 = "stablehlo.multiply"(%77, %77) : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    %79 = "stablehlo.reduce"(%78, %56) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg20: tensor<f64>, %arg21: tensor<f64>):
      %81 = "stablehlo.add"(%arg20, %arg21) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%81) : (tensor<f64>) -> ()
    }) : (tensor<4x5xf64>, tensor<f64>) -> tensor<f64>
    %80 = "stablehlo.divide"(%79, %53) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%80) : (tensor<f64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5xf64>) -> (tensor<4x2xf64>, tensor<4x2xi32>), sym_name = "chlo.top_k.impl", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<4x5xf64>):
    %48 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5xi32>
    %49:2 = "stablehlo.sort"(%arg12, %48) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg13: tensor<f64>, %arg14: tensor<f64>, %arg15: tensor<i32>, %arg16: tensor<i32>):
      %52 = "stablehlo.compare"(%arg13, %arg14) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }) : (tensor<4x5xf64>, tensor<4x5xi32>) -> (tensor<4x5xf64>, tensor<4x5xi32>)
    %50 = "stablehlo.slice"(%49#0) <{limit_indices = array<i64: 4, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x5xf64>) -> tensor<4x2xf64>
    %51 = "stablehlo.slice"(%49#1) <{limit_indices = array<i64: 4, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x5xi32>) -> tensor<4x2xi32>
    "func.return"(%50, %51) : (tensor<4x2xf64>, tensor<4x2xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5xf64>) -> tensor<4x5xf64>, sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<4x5xf64>):
    %36 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %38 = "stablehlo.sort"(%arg9) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg10: tensor<f64>, %arg11: tensor<f64>):
      %39 = "stablehlo.compare"(%arg10, %37) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %40 = "stablehlo.select"(%39, %37, %arg10) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %41 = "stablehlo.compare"(%arg10, %arg10) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %42 = "stablehlo.select"(%41, %36, %40) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %43 = "stablehlo.compare"(%arg11, %37) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %44 = "stablehlo.select"(%43, %37, %arg11) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %45 = "stablehlo.compare"(%arg11, %arg11) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %46 = "stablehlo.select"(%45, %36, %44) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %47 = "stablehlo.compare"(%42, %46) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%47) : (tensor<i1>) -> ()
    }) : (tensor<4x5xf64>) -> tensor<4x5xf64>
    "func.return"(%38) : (tensor<4x5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5xf64>) -> tensor<4x5xi64>, sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<4x5xf64>):
    %23 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %25 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x5xi64>
    %26:2 = "stablehlo.sort"(%arg4, %25) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>, %arg7: tensor<i64>, %arg8: tensor<i64>):
      %27 = "stablehlo.compare"(%arg5, %24) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %28 = "stablehlo.select"(%27, %24, %arg5) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "stablehlo.compare"(%arg5, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %30 = "stablehlo.select"(%29, %23, %28) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %31 = "stablehlo.compare"(%arg6, %24) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %32 = "stablehlo.select"(%31, %24, %arg6) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %33 = "stablehlo.compare"(%arg6, %arg6) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %34 = "stablehlo.select"(%33, %23, %32) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %35 = "stablehlo.compare"(%30, %34) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%35) : (tensor<i1>) -> ()
    }) : (tensor<4x5xf64>, tensor<4x5xi64>) -> (tensor<4x5xf64>, tensor<4x5xi64>)
    "func.return"(%26#1) : (tensor<4x5xi64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5xf64>, tensor<4x5xi64>) -> tensor<4x5xf64>, sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x5xf64>, %arg1: tensor<4x5xi64>):
    %0 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.convert"(%arg1) : (tensor<4x5xi64>) -> tensor<4x5xi32>
    %6 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %7 = "stablehlo.compare"(%5, %6) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>
    %8 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5xi32>
    %9 = "stablehlo.add"(%5, %8) : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %10 = "stablehlo.select"(%7, %9, %5) : (tensor<4x5xi1>, tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi32>
    %11 = "stablehlo.reshape"(%10) : (tensor<4x5xi32>) -> tensor<4x5x1xi32>
    %12 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x5x1xi32>
    %13 = "stablehlo.compare"(%11, %12) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x5x1xi32>, tensor<4x5x1xi32>) -> tensor<4x5x1xi1>
    %14 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x5x1xi32>
    %16 = "stablehlo.compare"(%11, %15) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x5x1xi32>, tensor<4x5x1xi32>) -> tensor<4x5x1xi1>
    %17 = "stablehlo.and"(%13, %16) : (tensor<4x5x1xi1>, tensor<4x5x1xi1>) -> tensor<4x5x1xi1>
    %18 = "stablehlo.reduce"(%17, %1) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %22 = "stablehlo.and"(%arg2, %arg3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%22) : (tensor<i1>) -> ()
    }) : (tensor<4x5x1xi1>, tensor<i1>) -> tensor<4x5xi1>
    %19 = "stablehlo.gather"(%arg0, %11) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xf64>, tensor<4x5x1xi32>) -> tensor<4x5xf64>
    %20 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x5xf64>
    %21 = "stablehlo.select"(%18, %19, %20) : (tensor<4x5xi1>, tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
    "func.return"(%21) : (tensor<4x5xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
