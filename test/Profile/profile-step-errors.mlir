// RUN: flywheel-opt %s --flywheel-profile-step --split-input-file --verify-diagnostics
// RUN: not flywheel-opt %s '--flywheel-profile-step=events=-1' --split-input-file 2>&1 | FileCheck %s

// F7: what cannot be profiled.
// CHECK: error: expected 'events' of at least 0

// expected-error@below {{expected a module without a profile, found one with it}}
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 640 : i64, variables = [], messages = [], entries = [],
    profile = {events = 0 : i64, kernels = 0 : i64, offset = 576 : i64, workers = 1 : i64}}} {
}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: the profile is outside the state block}}
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 640 : i64, variables = [], messages = [], entries = [],
    profile = {events = 0 : i64, kernels = 0 : i64, offset = 640 : i64, workers = 1 : i64}}} {
}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: expected 0 kernels in 'profile', found 2}}
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 6400 : i64, variables = [], messages = [], entries = [],
    profile = {events = 0 : i64, kernels = 2 : i64, offset = 640 : i64, workers = 1 : i64}}} {
}

// -----

module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 640 : i64, variables = [], messages = [], entries = []}} {
}
