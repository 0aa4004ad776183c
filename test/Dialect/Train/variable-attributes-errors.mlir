// T2:
// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

// C1:
// expected-error @+1 {{expected a variable in collection "TRAINABLE" to be trainable, found trainable = false}}
train.variable @W : tensor<2xf32> {collections = ["TRAINABLE"], trainable = false}

// -----

// expected-error @+1 {{expected distinct collections, found "a" twice}}
train.variable @W : tensor<2xf32> {collections = ["a", "b", "a"]}

// -----

// expected-error @+1 {{expected names of collections, found ""}}
train.variable @W : tensor<2xf32> {collections = [""]}

// -----

// expected-error @+1 {{attribute 'collections' failed to satisfy constraint: string array attribute}}
train.variable @W : tensor<2xf32> {collections = [@LOCAL]}

// -----

// D1:
// expected-error @+1 {{expected a device such as "/cpu:0", "/gpu:1", "/device:GPU:1" or "/job:ps/task:0/cpu:0", found "gpu:1"}}
train.variable @W : tensor<2xf32> {device = "gpu:1"}

// -----

// expected-error @+1 {{found "/gpu"}}
train.variable @W : tensor<2xf32> {device = "/gpu"}

// -----

// expected-error @+1 {{found "/gpu:-1"}}
train.variable @W : tensor<2xf32> {device = "/gpu:-1"}

// -----

// expected-error @+1 {{found "/cpu:0/gpu:0"}}
train.variable @W : tensor<2xf32> {device = "/cpu:0/gpu:0"}

// -----

// expected-error @+1 {{found "/task:0/task:1"}}
train.variable @W : tensor<2xf32> {device = "/task:0/task:1"}

// -----

// expected-error @+1 {{found "/job:"}}
train.variable @W : tensor<2xf32> {device = "/job:"}

// -----

// expected-error @+1 {{found "/rack:3"}}
train.variable @W : tensor<2xf32> {device = "/rack:3"}

// -----

// expected-error @+1 {{found ""}}
train.variable @W : tensor<2xf32> {device = ""}

// -----

// O12:
// expected-error @+1 {{expected a floating-point type for constraint non_neg, found 'tensor<2xi32>'}}
train.variable @W : tensor<2xi32> {constraint = #train.non_neg}

// -----

// expected-error @+1 {{expected the axis of constraint max_norm within the rank of 'tensor<f32>', found 0}}
train.variable @W : tensor<f32> {constraint = #train.max_norm}

// -----

// expected-error @+1 {{expected the axis of constraint unit_norm within the rank of 'tensor<2x2xf32>', found 2}}
train.variable @W : tensor<2x2xf32> {constraint = #train.unit_norm<axis = 2>}

// -----

// expected-error @+1 {{expected a floating-point type for constraint min_max_norm, found 'tensor<2xi64>'}}
train.variable @W : tensor<2xi64> {constraint = #train.min_max_norm}

// -----

// expected-error @+1 {{expected axis >= 0, found -1}}
train.variable @W : tensor<2x2xf32> {constraint = #train.unit_norm<axis = -1>}

// -----

// expected-error @+1 {{expected finite norms 0 <= min <= max, found 0.000000e+00 and -1.000000e+00}}
train.variable @W : tensor<2x2xf32> {constraint = #train.max_norm<max = -1.0>}

// -----

// expected-error @+1 {{expected finite norms 0 <= min <= max, found 2.000000e+00 and 1.000000e+00}}
train.variable @W : tensor<2x2xf32> {constraint = #train.min_max_norm<min = 2.0>}

// -----

// expected-error @+1 {{expected rate within [0, 1], found 1.500000e+00}}
train.variable @W : tensor<2x2xf32> {constraint = #train.min_max_norm<rate = 1.5>}

// -----

// expected-error @+1 {{failed to satisfy constraint: ConstraintAttrInterface instance}}
train.variable @W : tensor<2x2xf32> {constraint = #train.zeros}

// -----

func.func @f(%p: tensor<2xi32>) {
  // expected-error @+1 {{expected a floating-point type for constraint non_neg, found 'tensor<2xi32>'}}
  %0 = train.project %p : tensor<2xi32> by #train.non_neg
  return
}
