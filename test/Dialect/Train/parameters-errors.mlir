// RUN: flywheel-opt --split-input-file --verify-diagnostics %s

// T2: what is between < and > of an attribute, and where.

// expected-error @+2 {{expected a parameter of #train.sgd (lr, momentum, decay, nesterov, name), found 'lrr'}}
module attributes {test.a = #train.sgd<
    lrr = 0.1>} {}

// -----

// expected-error @+2 {{expected a parameter of #train.adam (lr, beta_1, beta_2, epsilon, decay, amsgrad, name), found 'beta1'}}
module attributes {test.a = #train.adam<lr = 0.1, // beta_1 = 0.9
    beta1 = 0.5>} {}

// -----

// expected-error @+1 {{expected a parameter of #train.sgd (lr, momentum, decay, nesterov, name), found '0.1'}}
module attributes {test.a = #train.sgd<0.1>} {}

// -----

// expected-error @+2 {{expected 'lr' of #train.sgd once, found it twice}}
module attributes {test.a = #train.sgd<lr = 0.1,
    lr = 0.2>} {}

// -----

// expected-error @+1 {{expected '='}}
module attributes {test.a = #train.sgd<lr>} {}

// -----

// expected-error @+1 {{expected a number such as 0.1 or 1.0e-3 for 'lr' of #train.sgd, found '"x"'}}
module attributes {test.a = #train.sgd<lr = "x">} {}

// -----

// expected-error @+1 {{expected a number such as 0.1 or 1.0e-3 for 'lr' of #train.sgd, found '1e-3'}}
module attributes {test.a = #train.sgd<lr = 1e-3>} {}

// -----

// expected-error @+1 {{expected a number such as 0.1 or 1.0e-3 for 'lr' of #train.sgd, found nothing}}
module attributes {test.a = #train.sgd<lr = >} {}

// -----

// expected-error @+1 {{expected true or false for 'nesterov' of #train.sgd, found '3'}}
module attributes {test.a = #train.sgd<nesterov = 3>} {}

// -----

// expected-error @+1 {{expected a string in quotes for 'name' of #train.sgd, found 'opt'}}
module attributes {test.a = #train.sgd<name = opt>} {}

// -----

// expected-error @+1 {{expected 'lr' of #train.momentum, which has no default}}
module attributes {test.a = #train.momentum<momentum = 0.5>} {}

// -----

// expected-error @+1 {{expected a parameter of #train.truncated_normal (mean, stddev, seed), found 'stdev'}}
module attributes {test.a = #train.truncated_normal<stdev = 0.1>} {}

// -----

// expected-error @+1 {{expected a whole number for 'seed' of #train.glorot_uniform, found '1.5'}}
module attributes {test.a = #train.glorot_uniform<seed = 1.5>} {}

// -----

// expected-error @+1 {{expected values such as dense<0.5> : tensor<f32> in #train.constant, found '1.0'}}
module attributes {test.a = #train.constant<1.0>} {}

// -----

// expected-error @+1 {{expected a list of strings such as ["a", "b"] in #train.strings, found '"a"'}}
module attributes {test.a = #train.strings<"a">} {}

// -----

// expected-error @+1 {{expected no parameters of #train.zeros}}
module attributes {test.a = #train.zeros<1>} {}

// -----

// expected-error @+1 {{expected a whole number for 'axis' of #train.max_norm, found 'x'}}
module attributes {test.a = #train.max_norm<axis = x>} {}

// -----

// expected-error @+1 {{expected a parameter of #train.cosine_rate (peak, steps, warmup, end), found 'step'}}
module attributes {test.a = #train.cosine_rate<peak = 0.1, step = 3>} {}

// -----

// expected-error @+1 {{expected a list of whole numbers such as [1, 2] for 'boundaries' of #train.piecewise_rate, found '3'}}
module attributes {test.a = #train.piecewise_rate<boundaries = 3, rates = [0.1]>} {}

// -----

// expected-error @+1 {{expected 'rates' of #train.piecewise_rate, which has no default}}
module attributes {test.a = #train.piecewise_rate<boundaries = [1]>} {}

// -----

// expected-error @+1 {{expected a parameter of #train.loss_scale (initial, growth, backoff, growth_interval), found 'init'}}
module attributes {test.a = #train.loss_scale<init = 2.0>} {}

// -----

// No errors.
module attributes {test.a = #train.sgd<>, test.b = #train.loss_scale< >, test.c = #train.zeros<>} {}

// -----

module attributes {test.a = #train.sgd<lr = 0.1 // a rate, lrr
    , momentum = 1 : i64, decay = -0.0 : f32, nesterov = true, name = "a,>b"
    // The end.
    >} {}

// -----

module attributes {test.a = #train.piecewise_rate<rates = [0.1, // before
    0.2], boundaries = [-1]>, test.b = #train.constant< // values
    dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>>, test.c = #train.he_normal<seed = -0x1F>} {}
