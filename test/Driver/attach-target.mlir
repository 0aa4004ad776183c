// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=V4
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=haswell" | FileCheck %s --check-prefix=HASWELL
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=OLD
// RUN: flywheel-opt %s --flywheel-attach-target=triple=x86_64-unknown-linux-gnu | FileCheck %s --check-prefix=OLD
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64 features=+avx2" | FileCheck %s --check-prefix=AVX2
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4 features=-avx512vl" | FileCheck %s --check-prefix=HASWELL
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=sapphirerapids" | FileCheck %s --check-prefix=AMX
// RUN: flywheel-opt %s --flywheel-attach-target="triple=i386-unknown-linux-gnu cpu=pentium4" | FileCheck %s --check-prefix=I386
// RUN: flywheel-opt %s --flywheel-attach-target="triple=i386-unknown-linux-gnu cpu=haswell" | FileCheck %s --check-prefix=I386-HASWELL
// RUN: flywheel-opt %s --flywheel-attach-target=triple=aarch64-unknown-linux-gnu | FileCheck %s --check-prefix=ARM
// RUN: flywheel-opt %s --flywheel-attach-target="triple=aarch64-unknown-linux-gnu cpu=neoverse-v2" | FileCheck %s --check-prefix=NEOVERSE
// RUN: flywheel-opt %s --flywheel-attach-target=triple=riscv64-unknown-linux-gnu | FileCheck %s --check-prefix=OLD
// RUN: not flywheel-opt %s --flywheel-attach-target=cpu=nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: target '{{.*}}' has no CPU 'nonsense'

// A module that has a target keeps it.
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=haswell" --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=HASWELL

// Caches and cores that are given count, with any CPU; those that cannot be are refused.
// RUN: flywheel-opt %s --flywheel-attach-target="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4 l1-bytes=32768 l2-bytes=1048576 cores=3" | FileCheck %s --check-prefix=GIVEN
// RUN: flywheel-opt %s --flywheel-attach-target="l1-bytes=32768 l2-bytes=524288 cores=3" | FileCheck %s --check-prefix=GIVEN-HOST
// RUN: not flywheel-opt %s --flywheel-attach-target="l1-bytes=65536 l2-bytes=32768" 2>&1 | FileCheck %s --check-prefix=SMALLER
// RUN: not flywheel-opt %s --flywheel-attach-target="cores=-1" 2>&1 | FileCheck %s --check-prefix=CORES
// GIVEN: l1_bytes = 32768, l2_bytes = 1048576, cores = 3, features = ["fma"]>
// GIVEN-HOST: l1_bytes = 32768, l2_bytes = 524288, cores = 3,
// SMALLER: error: expected a cache of at least 1024 bytes and a second one that is not smaller, of at most 4294967296, found 65536 and 32768
// CORES: error: expected at least one core, found -1

// Caches of this machine are for its own CPU only (attach_target.py): a CPU with a name is the same
// everywhere.
// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 | FileCheck %s --check-prefix=NAMED
// NAMED: l1_bytes = 49152, l2_bytes = 2097152, cores = 1,

// V4: module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["fma"]>}
// HASWELL: module attributes {codegen.target = #codegen.cpu<vector_bits = 256, vector_registers = 16, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["fma"]>}
// AVX2: module attributes {codegen.target = #codegen.cpu<vector_bits = 256, vector_registers = 16, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>}
// OLD: module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = []>}
// I386: module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 8, l1
// I386-HASWELL: module attributes {codegen.target = #codegen.cpu<vector_bits = 256, vector_registers = 8, l1
// AMX: module attributes {codegen.target = #codegen.cpu<vector_bits = 512, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["amx-bf16", "amx-int8", "avx512bf16", "avx512fp16", "fma"]>}
// ARM: module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["neon"]>}
// NEOVERSE: module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 32, l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["bf16", "fullfp16", "i8mm", "neon", "sve"]>}
module {
}
