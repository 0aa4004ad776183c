// RUN: flywheel-opt %s --flywheel-lower-workers --split-input-file --verify-diagnostics

// expected-error @below {{expected 'codegen.workers', as workers execute it together, found none}}
func.func @kernel() {
  codegen.barrier
  return
}

// -----

// expected-error @below {{expected arguments that other workers may change, found 'llvm.noalias' on argument 1}}
func.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr {llvm.noalias}) attributes {codegen.workers = 2 : i64} {
  codegen.barrier
  return
}

// -----

// expected-error @below {{expected no function 'team.barrier', which this pass makes}}
func.func private @team.barrier()
func.func @kernel() attributes {codegen.workers = 2 : i64} {
  codegen.barrier
  return
}

// -----

llvm.func @kernel() {
  // expected-error @below {{expected a 'func.func' of the module around it, found none}}
  codegen.barrier
  llvm.return
}
