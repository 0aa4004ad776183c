// RUN: flywheel-opt %s --flywheel-lower-state --verify-diagnostics \
// RUN:   | not grep module

train.variable @v : tensor<72057594037927296xi8>
// expected-error@below {{'train.variable' op ends behind the state block's largest size, 2^56 bytes: 'tensor<4xf32>' begins at byte}}
train.variable @w : tensor<4xf32>
