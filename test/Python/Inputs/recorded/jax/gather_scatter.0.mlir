"builtin.module"() <{sym_name = "jit_jaxpr_as_fun"}> ({
  "func.func"() <{function_type = (tensor<5x3xf64>, tensor<6xi32>, tensor<4x3xf64>) -> tensor<f64>, res_attrs = [{jax.result_info = "result[0]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<5x3xf64>, %arg25: tensor<6xi32>, %arg26: tensor<4x3xf64>):
    %88 = "stablehlo.constant"() <{value = dense<1.200000e+01> : tensor<f64>}> : () -> tensor<f64>
    %89 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %90 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %91 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
    %92 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<f64>}> : () -> tensor<f64>
    %93 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %94 = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %95 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %96 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %97 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %98 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %99 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %101 = "stablehlo.compare"(%arg25, %100) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %102 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %103 = "stablehlo.add"(%arg25, %102) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %104 = "stablehlo.select"(%101, %103, %arg25) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %105 = "stablehlo.broadcast_in_dim"(%104) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %106 = "stablehlo.custom_call"(%105) <{call_target_name = "flywheel.promised_indices"}> : (tensor<6x1xi32>) -> tensor<6x1xi32>
    %107 = "stablehlo.gather"(%arg24, %106) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf64>, tensor<6x1xi32>) -> tensor<6x3xf64>
    %108 = "stablehlo.broadcast_in_dim"(%97) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<6x3xf64>
    %109 = "stablehlo.multiply"(%107, %108) : (tensor<6x3xf64>, tensor<6x3xf64>) -> tensor<6x3xf64>
    %110 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %111 = "func.call"(%arg25, %95) <{callee = @remainder}> : (tensor<6xi32>, tensor<i64>) -> tensor<6xi32>
    %112 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %113 = "stablehlo.compare"(%111, %112) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %114 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<6xi32>
    %115 = "stablehlo.add"(%111, %114) : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %116 = "stablehlo.select"(%113, %115, %111) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    %117 = "stablehlo.broadcast_in_dim"(%116) <{broadcast_dimensions = array<i64: 0>}> : (tensor<6xi32>) -> tensor<6x1xi32>
    %118 = "stablehlo.scatter"(%110, %117, %109) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg35: tensor<f64>, %arg36: tensor<f64>):
      %166 = "stablehlo.add"(%arg35, %arg36) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%166) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<6x1xi32>, tensor<6x3xf64>) -> tensor<4x3xf64>
    %119 = "stablehlo.broadcast_in_dim"(%93) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %120 = "stablehlo.broadcast_in_dim"(%92) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<3xf64>
    %121 = "stablehlo.scatter"(%118, %119, %120) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg33: tensor<f64>, %arg34: tensor<f64>):
      %165 = "stablehlo.multiply"(%arg33, %arg34) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%165) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<1xi32>, tensor<3xf64>) -> tensor<4x3xf64>
    %122 = "stablehlo.slice"(%arg24) <{limit_indices = array<i64: 4, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x1xf64>
    %123 = "stablehlo.reshape"(%122) : (tensor<4x1xf64>) -> tensor<4xf64>
    %124 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<1xi32>
    %125 = "stablehlo.scatter"(%121, %124, %123) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg31: tensor<f64>, %arg32: tensor<f64>):
      "stablehlo.return"(%arg32) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<1xi32>, tensor<4xf64>) -> tensor<4x3xf64>
    %126 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<1xi32>
    %127 = "stablehlo.reshape"(%126) : (tensor<1xi32>) -> tensor<i32>
    %128 = "func.call"(%127, %91) <{callee = @remainder_0}> : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %129 = "stablehlo.compare"(%128, %99) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %130 = "stablehlo.add"(%128, %98) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %131 = "stablehlo.select"(%129, %130, %128) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %132 = "stablehlo.compare"(%99, %99) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %133 = "stablehlo.add"(%99, %90) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %134 = "stablehlo.select"(%132, %133, %99) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %135 = "stablehlo.dynamic_slice"(%arg24, %131, %134) <{slice_sizes = array<i64: 2, 3>}> : (tensor<5x3xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf64>
    %136 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %137 = "stablehlo.multiply"(%135, %136) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %138 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<1xi32>
    %139 = "stablehlo.reshape"(%138) : (tensor<1xi32>) -> tensor<i32>
    %140 = "func.call"(%139, %95) <{callee = @remainder_2}> : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %141 = "stablehlo.compare"(%140, %99) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %142 = "stablehlo.add"(%140, %98) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %143 = "stablehlo.select"(%141, %142, %140) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %144 = "stablehlo.compare"(%99, %99) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %145 = "stablehlo.add"(%99, %90) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %146 = "stablehlo.select"(%144, %145, %99) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %147 = "stablehlo.dynamic_update_slice"(%arg24, %137, %143, %146) : (tensor<5x3xf64>, tensor<2x3xf64>, tensor<i32>, tensor<i32>) -> tensor<5x3xf64>
    %148 = "stablehlo.reduce"(%125, %96) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg29: tensor<f64>, %arg30: tensor<f64>):
      %164 = "stablehlo.add"(%arg29, %arg30) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%164) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
    %149 = "stablehlo.slice"(%147) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x3xf64>
    %150 = "stablehlo.broadcast_in_dim"(%148) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<4x3xf64>
    %151 = "stablehlo.add"(%150, %149) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %152 = "stablehlo.slice"(%arg24) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<5x3xf64>) -> tensor<4x3xf64>
    %153 = "stablehlo.slice"(%arg25) <{limit_indices = array<i64: 4>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xi32>) -> tensor<4xi32>
    %154 = "stablehlo.broadcast_in_dim"(%153) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %155 = "func.call"(%154, %91) <{callee = @remainder_4}> : (tensor<4x1xi32>, tensor<i64>) -> tensor<4x1xi32>
    %156 = "func.call"(%152, %155) <{callee = @take_along_axis}> : (tensor<4x3xf64>, tensor<4x1xi32>) -> tensor<4x1xf64>
    %157 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %158 = "stablehlo.add"(%151, %157) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %159 = "stablehlo.subtract"(%158, %arg26) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %160 = "stablehlo.multiply"(%159, %159) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %161 = "stablehlo.reduce"(%160, %96) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg27: tensor<f64>, %arg28: tensor<f64>):
      %163 = "stablehlo.add"(%arg27, %arg28) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%163) : (tensor<f64>) -> ()
    }) : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
    %162 = "stablehlo.divide"(%161, %88) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    "func.return"(%162) : (tensor<f64>) -> ()
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
