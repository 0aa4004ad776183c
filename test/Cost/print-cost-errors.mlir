// RUN: not flywheel-opt %s '--train-print-cost=entries=none' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not flywheel-opt %s '--train-print-cost=fetches=none' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FETCH
// RUN: not flywheel-opt %s '--train-print-cost=bind=none=3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not flywheel-opt %s '--train-print-cost=bind=batch' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not flywheel-opt %s '--train-print-cost=bind=batch=-1' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not flywheel-opt %s '--train-print-cost=bind=batch=3,batch=4' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not flywheel-compile --cost=xml %s 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not flywheel-compile --bind=batch=3 %s 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not flywheel-compile --cost --bind=none=3 %s 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: flywheel-compile --emit=flywheel-expand %s -o %t.mlir
// RUN: not flywheel-compile --cost %t.mlir 2>&1 | FileCheck %s --check-prefix=STAGE

// ENTRY: error: expected the name of an entry, found 'none'; the entries are: twice
// FETCH: error: expected the name or the number of a result of @twice, found 'none'; its results are: 0
// SIZE: error: expected the name of a size, found 'none'; the sizes are: batch
// FORM: error: expected a size as in batch=32, found 'batch'
// NEGATIVE: error: expected a size as in batch=32, found 'batch=-1'
// TWICE: error: expected one number for the size 'batch', found a second one in 'batch=4'
// KIND: error: expected --cost, --cost=text or --cost=json, found --cost=xml
// ALONE: error: --bind, --fetches and --whole-graph need --cost
// STAGE: error: expected a module that has been through no stage, to count what it costs
func.func @twice(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = arith.addf %x, %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
