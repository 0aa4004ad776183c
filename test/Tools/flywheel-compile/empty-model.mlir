// A model without variables and entries still has an interface.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: flywheel-compile %s --report 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=HEADER < empty-model.h
// RUN: FileCheck %s --check-prefix=JSON < empty-model.json
// RUN: test -s empty-model.o
// RUN: flywheel-compile %s -o other.o --model-name=other --max-batch=7 --header=h.h --manifest=m.json
// RUN: FileCheck %s --check-prefix=OTHER < h.h
// RUN: flywheel-compile %s --emit=llvm-ir | FileCheck %s --check-prefix=IR
// RUN: flywheel-compile %s --emit=asm --target-triple=aarch64-linux-gnu | FileCheck %s --check-prefix=ASM
// RUN: flywheel-compile %s --emit=flywheel-autodiff | FileCheck %s --check-prefix=STAGE

// REPORT: model 'empty-model', dimension sizes up to 1024
// REPORT: state block in C 576 bytes
// REPORT: flywheel-autodiff {{.*}} ms
// REPORT: generate-machine-code {{.*}} ms
// REPORT: total {{.*}} ms

// HEADER: #ifndef FLYWHEEL_MODEL_EMPTY_MODEL_H
// HEADER: #define EMPTY_MODEL_STATE_BYTES 576ul
// HEADER: #define EMPTY_MODEL_STATE_ALIGN 64
// HEADER: #define EMPTY_MODEL_MAX_DIM_SIZE 1024
// HEADER: typedef struct empty_model_state empty_model_state;
// HEADER: int32_t empty_model_init(empty_model_state *s, uint64_t seed);
// HEADER: const char *empty_model_last_error(const empty_model_state *s);

// JSON: "max_dim_size": 1024,
// JSON: "model": "empty-model",

// OTHER: #define OTHER_MAX_DIM_SIZE 7
// OTHER: int32_t other_init(

// IR: define{{.*}} i32 @empty_model_init(
// ASM: empty_model_init:
// STAGE: module
module {}
