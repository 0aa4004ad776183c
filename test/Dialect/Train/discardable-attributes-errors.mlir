// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{'builtin.module' op expected a dictionary as 'train.manifest', found 1 : i32}}
module attributes {train.manifest = 1 : i32} {}

// -----

// expected-error@below {{'builtin.module' op expected a list of strings as 'train.strings', found [1]}}
module attributes {train.strings = [1]} {}

// -----

// expected-error@below {{'builtin.module' op expected 'train.symbols' on a function, found it here}}
module attributes {train.symbols = ["a"]} {}

// -----

// expected-error@below {{'func.func' op expected 'train.strings' on a module, found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.strings = ["a"]}

// -----

// expected-error@below {{'func.func' op expected no value as 'train.initializer', found 1 : i64}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.initializer = 1 : i64}

// -----

// expected-error@below {{'func.func' op expected the name of an entry as 'train.entry', found unit}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.entry}

// -----

// expected-error@below {{'func.func' op expected the path of an object as 'train.streams', found 3 : i64}}
func.func private @f() attributes {train.streams = 3}

// -----

// expected-error@below {{'func.func' op expected a list of strings as 'train.symbols', found "batch"}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.symbols = "batch"}

// -----

// expected-error@below {{'func.func' op expected 'train.reads' on an argument of a function, found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.reads}

// -----

// expected-error@below {{'func.func' op expected 'train.name' on an argument or a result of a function, found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.name = "f"}

// -----

// expected-error@below {{'func.func' op expected 'train.initial_values' on a 'train.variable', found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.initial_values = [@v]}

// -----

// expected-error@below {{'func.func' op expected 'train.keeps_dim_sizes' on a loop, found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.keeps_dim_sizes}

// -----

// expected-error@below {{'func.func' op expected the symbol of a variable as 'train.snapshot', found "w"}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.snapshot = "w"}

// -----

// expected-error@below {{'func.func' op expected no value as 'train.in_range', found true}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.in_range = true}

// -----

// expected-error@below {{'func.func' op expected 'train.compilation' on a module, found it here}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.compilation = {}}

// -----

// expected-error@below {{'func.func' op expected the symbol of a variable or a list of them as 'train.variable' of argument 0, found "w"}}
func.func private @f(tensor<?x4xi8> {train.variable = "w"}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected the symbol of a variable as 'train.is_initialized' of argument 0, found @m::@w}}
func.func private @f(tensor<?x4xi8> {train.is_initialized = @m::@w}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected the number of a result, an i64 as 'train.result' of argument 0, found -1 : i64}}
func.func private @f(tensor<?x4xi8> {train.result = -1 : i64}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected the number of a result, an i64 as 'train.result' of argument 0, found 0 : i32}}
func.func private @f(tensor<?x4xi8> {train.result = 0 : i32}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected no value as 'train.writes' of argument 0, found 1 : i64}}
func.func private @f(tensor<?x4xi8> {train.writes = 1 : i64}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected no value as 'train.reads' of argument 0, found false}}
func.func private @f(tensor<?x4xi8> {train.reads = false}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected no value as 'train.updated' of argument 0, found @w}}
func.func private @f(tensor<?x4xi8> {train.updated = @w}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected no value as 'train.initialized_value' of argument 0, found 2.000000e+00 : f32}}
func.func private @f(tensor<?x4xi8> {train.initialized_value = 2.0 : f32}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected no value as 'train.workspace' of argument 0, found []}}
func.func private @f(tensor<?x4xi8> {train.workspace = []}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected an array of i64 as 'train.dim_sizes' of argument 0, found [0, -1]}}
func.func private @f(tensor<?x4xi8> {train.dim_sizes = [0, -1]}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected an element for each dimension of 'tensor<?x4xi8>' as 'train.dim_sizes' of argument 0, found array<i64: 0>}}
func.func private @f(tensor<?x4xi8> {train.dim_sizes = array<i64: 0>}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected an element for each dimension of 'tensor<?x4xi8>' as 'train.dim_size_places' of argument 0, found ["a"]}}
func.func private @f(tensor<?x4xi8> {train.dim_size_places = ["a"]}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected a list of strings as 'train.dims' of argument 0, found "batch"}}
func.func private @f(tensor<?x4xi8> {train.dims = "batch"}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected a name for each dimension of 'tensor<?x4xi8>' as 'train.dims' of argument 0, found ["batch"]}}
func.func private @f(tensor<?x4xi8> {train.dims = ["batch"]}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected a name as 'train.name' of argument 0, found ""}}
func.func private @f(tensor<?x4xi8> {train.name = ""}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected a type as 'train.element_type' of argument 0, found "ui8"}}
func.func private @f(tensor<?x4xi8> {train.element_type = "ui8"}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected 'train.element_type' of argument 0 to be an element type that 'i8' stores, found ui16}}
func.func private @f(tensor<?x4xi8> {train.element_type = ui16}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected 'train.symbols' on a function, found it on argument 0}}
func.func private @f(tensor<?x4xi8> {train.symbols = ["a"]}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected a name as 'train.name' of result 0, found 5 : i64}}
func.func private @f(tensor<?x4xi8>) -> (tensor<i8> {train.name = 5})

// -----

// expected-error@below {{'func.func' op expected 'train.variable' on an argument of a function, found it on result 0}}
func.func private @f(tensor<?x4xi8>) -> (tensor<i8> {train.variable = @w})

// -----

// expected-error@below {{'train.variable' op expected a list of symbols of variables as 'train.initial_values', found [1]}}
train.variable @v : tensor<3xf32> {train.initial_values = [1]}

// -----

// expected-error-re@below {{'func.func' op expected an attribute that the dialect 'train' declares, found 'train.symbol'; it declares: train.vjp, {{.*}}train.symbols, {{.*}}}}
func.func private @f(tensor<?x4xi8>) -> tensor<i8> attributes {train.symbol = ["a"]}

// -----

// expected-error@below {{'func.func' op expected an attribute that the dialect 'train' declares, found 'train.nam' of argument 0; it declares: train.vjp, }}
func.func private @f(tensor<?x4xi8> {train.nam = "x"}) -> tensor<i8>

// -----

// expected-error@below {{'func.func' op expected an attribute that the dialect 'train' declares, found 'train.nam' of result 0; it declares: train.vjp, }}
func.func private @f(tensor<?x4xi8>) -> (tensor<i8> {train.nam = "x"})
