// X15: Sizes that a branch requires to be equal may differ where it does not run.
// RUN: flywheel-run %s --entry constant --feed p=0 --feed q=1 --feed x=[1,2,4,8,16] --feed z=ones | FileCheck %s --check-prefix=CONSTANT
// RUN: flywheel-run %s --entry constant --feed p=0 --feed q=1 --feed x=[1,2,4,8,16] --feed z=ones --lowering=reference | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: r  float32  []
// CONSTANT-NEXT: 31
// RUN: not flywheel-run %s --entry constant --feed p=1 --feed q=1 --feed x=[1,2,4,8,16] --feed z=ones 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: expected equal sizes of dimension 0 of result 0 of one branch and of the other, found 8 and 5 in 'scf.if' at {{.*}}branch-sizes.mlir:[[#@LINE+15]]:10 (step 1)
// RUN: flywheel-run %s --entry constant --feed p=1 --feed q=1 --feed x=[1,2,4,8,16,32,64,128] --feed z=ones | FileCheck %s --check-prefix=TAKEN
// TAKEN: r  float32  []
// TAKEN-NEXT: 8
// RUN: flywheel-run %s --entry computed --feed p=0 --feed q=1 --feed x=[1,2,4,8,16] --feed y=[1,2] | FileCheck %s --check-prefix=COMPUTED
// RUN: flywheel-run %s --entry computed --feed p=0 --feed q=1 --feed x=[1,2,4,8,16] --feed y=[1,2] --lowering=reference | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: r  float32  []
// COMPUTED-NEXT: 3
// COMPUTED: z  float32  []
// COMPUTED-NEXT: 6.2

func.func @constant(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<?xf32>, %z: tensor<8xf32>) -> (tensor<f32> {train.name = "r"}) {
  %a = tensor.extract %p[] : tensor<i1>
  %b = tensor.extract %q[] : tensor<i1>
  %s = scf.if %a -> tensor<f32> {
    %t = scf.if %b -> tensor<?xf32> {
      %w = tensor.cast %z : tensor<8xf32> to tensor<?xf32>
      scf.yield %w : tensor<?xf32>
    } else {
      scf.yield %x : tensor<?xf32>
    }
    %r = nn.reduce sum %t axes [0] : tensor<?xf32> -> tensor<f32>
    scf.yield %r : tensor<f32>
  } else {
    %r = nn.reduce sum %x axes [0] : tensor<?xf32> -> tensor<f32>
    scf.yield %r : tensor<f32>
  }
  return %s : tensor<f32>
}

func.func @computed(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<f32> {train.name = "r"}, tensor<f32> {train.name = "z"}) {
  %a = tensor.extract %p[] : tensor<i1>
  %b = tensor.extract %q[] : tensor<i1>
  %z = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %s = scf.if %a -> tensor<f32> {
    %t = scf.if %b -> tensor<?xf32> {
      %w = nn.softmax %y : tensor<?xf32>
      scf.yield %w : tensor<?xf32>
    } else {
      scf.yield %z : tensor<?xf32>
    }
    %r = nn.reduce sum %t axes [0] : tensor<?xf32> -> tensor<f32>
    scf.yield %r : tensor<f32>
  } else {
    %r = nn.reduce sum %y axes [0] : tensor<?xf32> -> tensor<f32>
    scf.yield %r : tensor<f32>
  }
  %mean = nn.reduce mean %z axes [0] : tensor<?xf32> -> tensor<f32>
  return %s, %mean : tensor<f32>, tensor<f32>
}
