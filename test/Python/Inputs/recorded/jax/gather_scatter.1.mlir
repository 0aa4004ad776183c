"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<5x3xf64>, tensor<6xi32>) -> tensor<4x3xf64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<5x3xf64>, %arg25: tensor<6xi32>):
    %88 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %89 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %90 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %91 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %92 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %93 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %94 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %95 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %96 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %97 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %98 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %100 = "stablehlo.compare"(%arg25, %99) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %101 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %102 = "stablehlo.add"(%arg25, %101) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %103 = "stablehlo.select"(%100, %102, %arg25) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %105 = "stablehlo.custom_call"(%104) <{call_target_name = "flywheel.promised_indices"}> : (tensor<6x1xi32>) -> tensor<6x1xi32>
    %106 = "stablehlo.gather"(%arg24, %105) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf64>, tensor<6x1xi32>) -> tensor<6x3xf64>
    %107 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x3xf64>
    %108 = "stablehlo.multiply"(%106, %107) : (tensor<6x3xf64>, tensor<6x3xf64>) -> tensor<6x3xf64>
    %109 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %110 = "func.call"(%arg25, %94) <{callee = @remainder}> : (tensor<6xi32>, tensor<i64>) -> tensor<6xi32>
    %111 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %112 = "stablehlo.compare"(%110, %111) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %113 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %114 = "stablehlo.add"(%110, %113) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %115 = "stablehlo.select"(%112, %114, %110) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %116 = "stablehlo.broadcast_in_dim"(%115) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %117 = "stablehlo.scatter"(%109, %116, %108) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg32: tensor<f64>, %arg33: tensor<f64>):
      %160 = "stablehlo.add"(%arg32, %arg33) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%160) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<6x1xi32>, tensor<6x3xf64>) -> tensor<4x3xf64>
    %118 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %119 = "stablehlo.broadcast_in_dim"(%91) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %120 = "stablehlo.scatter"(%117, %118, %119) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg30: tensor<f64>, %arg31: tensor<f64>):
      %159 = "stablehlo.multiply"(%arg30, %arg31) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%159) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<1xi32>, tensor<3xf64>) -> tensor<4x3xf64>
    %121 = "stablehlo.slice"(%arg24) <{limit_indices = array<i64: 4, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x1xf64>
    %122 = "stablehlo.reshape"(%121) : (tensor<4x1xf64>) -> tensor<4xf64>
    %123 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %124 = "stablehlo.scatter"(%120, %123, %122) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg28: tensor<f64>, %arg29: tensor<f64>):
      "stablehlo.return"(%arg29) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<1xi32>, tensor<4xf64>) -> tensor<4x3xf64>
    %125 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<1xi32>
    %126 = "stablehlo.reshape"(%125) : (tensor<1xi32>) -> tensor<i32>
    %127 = "func.call"(%126, %90) <{callee = @remainder_0}> : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %128 = "stablehlo.compare"(%127, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %129 = "stablehlo.add"(%127, %97) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %130 = "stablehlo.select"(%128, %129, %127) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %131 = "stablehlo.compare"(%98, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %132 = "stablehlo.add"(%98, %89) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %133 = "stablehlo.select"(%131, %132, %98) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %134 = "stablehlo.dynamic_slice"(%arg24, %130, %133) <{slice_sizes = array<i64: 2, 3>}> : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
    %135 = "stablehlo.broadcast_in_dim"(%88) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %136 = "stablehlo.multiply"(%134, %135) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %137 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<1xi32>
    %138 = "stablehlo.reshape"(%137) : (tensor<1xi32>) -> tensor<i32>
    %139 = "func.call"(%138, %94) <{callee = @remainder_2}> : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %140 = "stablehlo.compare"(%139, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %141 = "stablehlo.add"(%139, %97) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %142 = "stablehlo.select"(%140, %141, %139) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %143 = "stablehlo.compare"(%98, %98) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %144 = "stablehlo.add"(%98, %89) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %145 = "stablehlo.select"(%143, %144, %98) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %146 = "stablehlo.dynamic_update_slice"(%arg24, %136, %142, %145) : (tensor<5x3xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
    %147 = "stablehlo.reduce"(%124, %95) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg26: tensor<f64>, %arg27: tensor<f64>):
      %158 = "stablehlo.add"(%arg26, %arg27) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%158) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
    %148 = "stablehlo.slice"(%146) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x3xf64>
    %149 = "stablehlo.broadcast_in_dim"(%147) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %150 = "stablehlo.add"(%149, %148) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %151 = "stablehlo.slice"(%arg24) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x3xf64>
    %152 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 4>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<4xi32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %154 = "func.call"(%153, %90) <{callee = @remainder_4}> : (tensor<4x1xi32>, tensor<i64>) -> tensor<4x1xi32>
    %155 = "func.call"(%151, %154) <{callee = @take_along_axis}> : (tensor<4x3xf64>, tensor<4x1xi32>) -> tensor<4x1xf64>
    %156 = "stablehlo.broadcast_in_dim"(%155) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %157 = "stablehlo.add"(%150, %156) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    "func.return"(%157) : (tensor<4x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xi32>, tensor<i64>) -> tensor<6xi32>, sym_name = "remainder", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<6xi32>, %arg23: tensor<i64>):
    %70 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %71 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %72 = "stablehlo.convert"(%arg23) : (tensor<i64>) -> tensor<i32>
    %73 = "stablehlo.compare"(%72, %71) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %74 = "func.call"(%73, %70, %72) <{callee = @_where}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %76 = "stablehlo.remainder"(%arg22, %75) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %77 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %78 = "stablehlo.compare"(%76, %77) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %79 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %80 = "stablehlo.compare"(%76, %79) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %81 = "stablehlo.compare"(%74, %71) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %82 = "stablehlo.broadcast_in_dim"(%81) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<6xi1>
    %83 = "stablehlo.compare"(%80, %82) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %84 = "stablehlo.and"(%83, %78) : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %85 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %86 = "stablehlo.add"(%76, %85) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %87 = "stablehlo.select"(%84, %86, %76) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    "func.return"(%87) : (tensor<6xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg19: tensor<i1>, %arg20: tensor<i32>, %arg21: tensor<i32>):
    %69 = "stablehlo.select"(%arg19, %arg20, %arg21) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%69) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<i64>) -> tensor<i32>, sym_name = "remainder_0", sym_visibility = "private"}> ({
  ^bb0(%arg17: tensor<i32>, %arg18: tensor<i64>):
    %56 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %57 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %58 = "stablehlo.convert"(%arg18) : (tensor<i64>) -> tensor<i32>
    %59 = "stablehlo.compare"(%58, %57) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %60 = "func.call"(%59, %56, %58) <{callee = @_where_1}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %61 = "stablehlo.remainder"(%arg17, %60) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %62 = "stablehlo.compare"(%61, %57) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %63 = "stablehlo.compare"(%61, %57) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %64 = "stablehlo.compare"(%60, %57) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %65 = "stablehlo.compare"(%63, %64) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %66 = "stablehlo.and"(%65, %62) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %67 = "stablehlo.add"(%61, %60) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %68 = "stablehlo.select"(%66, %67, %61) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%68) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_1", sym_visibility = "private"}> ({
  ^bb0(%arg14: tensor<i1>, %arg15: tensor<i32>, %arg16: tensor<i32>):
    %55 = "stablehlo.select"(%arg14, %arg15, %arg16) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%55) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<i64>) -> tensor<i32>, sym_name = "remainder_2", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<i32>, %arg13: tensor<i64>):
    %42 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %43 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %44 = "stablehlo.convert"(%arg13) : (tensor<i64>) -> tensor<i32>
    %45 = "stablehlo.compare"(%44, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %46 = "func.call"(%45, %42, %44) <{callee = @_where_3}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %47 = "stablehlo.remainder"(%arg12, %46) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %48 = "stablehlo.compare"(%47, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %49 = "stablehlo.compare"(%47, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %50 = "stablehlo.compare"(%46, %43) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %51 = "stablehlo.compare"(%49, %50) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %52 = "stablehlo.and"(%51, %48) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %53 = "stablehlo.add"(%47, %46) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %54 = "stablehlo.select"(%52, %53, %47) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%54) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_3", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<i1>, %arg10: tensor<i32>, %arg11: tensor<i32>):
    %41 = "stablehlo.select"(%arg9, %arg10, %arg11) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%41) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x1xi32>, tensor<i64>) -> tensor<4x1xi32>, sym_name = "remainder_4", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<4x1xi32>, %arg8: tensor<i64>):
    %23 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %24 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.convert"(%arg8) : (tensor<i64>) -> tensor<i32>
    %26 = "stablehlo.compare"(%25, %24) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %27 = "func.call"(%26, %23, %25) <{callee = @_where_5}> : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %28 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %29 = "stablehlo.remainder"(%arg7, %28) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %30 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %31 = "stablehlo.compare"(%29, %30) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %32 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %33 = "stablehlo.compare"(%29, %32) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %34 = "stablehlo.compare"(%27, %24) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<4x1xi1>
    %36 = "stablehlo.compare"(%33, %35) <{compare_type = #stablehlo<comparison_type UNSIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<4x1xi1>, tensor<4x1xi1>) -> tensor<4x1xi1>
    %37 = "stablehlo.and"(%36, %31) : (tensor<4x1xi1>, tensor<4x1xi1>) -> tensor<4x1xi1>
    %38 = "stablehlo.broadcast_in_dim"(%27) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %39 = "stablehlo.add"(%29, %38) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %40 = "stablehlo.select"(%37, %39, %29) : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    "func.return"(%40) : (tensor<4x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "_where_5", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<i1>, %arg5: tensor<i32>, %arg6: tensor<i32>):
    %22 = "stablehlo.select"(%arg4, %arg5, %arg6) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%22) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf64>, tensor<4x1xi32>) -> tensor<4x1xf64>, sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x3xf64>, %arg1: tensor<4x1xi32>):
    %0 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
    %1 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<2> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %6 = "stablehlo.compare"(%arg1, %5) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %7 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1xi32>
    %8 = "stablehlo.add"(%arg1, %7) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %9 = "stablehlo.select"(%6, %8, %arg1) : (tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
    %10 = "stablehlo.reshape"(%9) : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %11 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<4x1x1xi32>
    %12 = "stablehlo.compare"(%10, %11) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %13 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %15 = "stablehlo.compare"(%10, %14) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %16 = "stablehlo.and"(%12, %15) : (tensor<4x1x1xi1>, tensor<4x1x1xi1>) -> tensor<4x1x1xi1>
    %17 = "stablehlo.reduce"(%16, %1) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %21 = "stablehlo.and"(%arg2, %arg3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%21) : (tensor<i1>) -> ()
    }) : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %18 = "stablehlo.gather"(%arg0, %10) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xf64>, tensor<4x1x1xi32>) -> tensor<4x1xf64>
    %19 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x1xf64>
    %20 = "stablehlo.select"(%17, %18, %19) : (tensor<4x1xi1>, tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
    "func.return"(%20) : (tensor<4x1xf64>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
