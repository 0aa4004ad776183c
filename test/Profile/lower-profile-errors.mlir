// RUN: flywheel-opt %s --flywheel-lower-profile --split-input-file --verify-diagnostics

// F7: a profile needs its place in the block.
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 640 : i64, variables = [], messages = [], entries = []}} {
  func.func @kernel() {
    // expected-error@below {{expected a manifest with a profile, found none}}
    %start = codegen.profile_begin : i64
    return
  }
}

// -----

module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 704 : i64, variables = [], messages = [], entries = [],
    profile = {events = 0 : i64, kernels = 0 : i64, offset = 640 : i64, workers = 1 : i64}}} {
  // expected-error@below {{expected no function 'profile.record', which this pass makes}}
  func.func private @profile.record()
  func.func @kernel() {
    %start = codegen.profile_begin : i64
    return
  }
}
