// RUN: flywheel-opt %s --flywheel-export-entry-points --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error@below {{expected a dictionary 'train.manifest' on the module, which the lowering of state attaches}}
module {}

// -----

// expected-error@below {{expected a function 'm_init' of the C interface, found none; --flywheel-emit-entry-points makes it}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [], entries = [], messages = []}} {}
