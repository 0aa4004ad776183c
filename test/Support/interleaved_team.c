/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A team whose workers are one thread: each runs up to its next barrier, then
 * the next one does, in another order after each barrier. Code that needs a
 * barrier and has none reads an old number in some order, each time that the
 * seed is the same. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

typedef struct flywheel_team flywheel_team;
struct flywheel_team {
  int32_t workers;
  void (*run)(flywheel_team *team, void (*body)(void *context, int32_t worker),
              void *context);
  void (*barrier)(flywheel_team *team, int32_t worker);
};

#define MAX_WORKERS 8
/* More than what the compiled code of any model has on its stack. */
#define STACK_BYTES ((size_t)16 << 20)

typedef struct interleaved_team {
  flywheel_team team;
  uint64_t random;
  int64_t barriers;
  ucontext_t caller, workers[MAX_WORKERS];
  char *stacks;
  int32_t finished[MAX_WORKERS];
  void (*body)(void *context, int32_t worker);
  void *context;
} interleaved_team;

static uint32_t draw(interleaved_team *self, uint32_t end) {
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->random >> 33) % end;
}

static void start_worker(uint32_t high, uint32_t low, uint32_t worker) {
  interleaved_team *self =
      (interleaved_team *)(((uintptr_t)high << 16 << 16) | low);
  self->body(self->context, (int32_t)worker);
  self->finished[worker] = 1;
}

static void run(flywheel_team *team, void (*body)(void *, int32_t),
                void *context) {
  interleaved_team *self = (interleaved_team *)team;
  int32_t order[MAX_WORKERS], n = team->workers, finished, i;
  self->body = body, self->context = context;
  for (i = 0; i < n; ++i) {
    order[i] = i, self->finished[i] = 0;
    getcontext(&self->workers[i]);
    self->workers[i].uc_stack.ss_sp = self->stacks + i * STACK_BYTES;
    self->workers[i].uc_stack.ss_size = STACK_BYTES;
    self->workers[i].uc_link = &self->caller;
    makecontext(&self->workers[i], (void (*)(void))start_worker, 3,
                (uint32_t)((uintptr_t)self >> 16 >> 16),
                (uint32_t)(uintptr_t)self, (uint32_t)i);
  }
  do {
    finished = 0;
    for (i = n; i-- > 0;) {
      int32_t other = (int32_t)draw(self, (uint32_t)i + 1),
              worker = order[other];
      order[other] = order[i], order[i] = worker;
      swapcontext(&self->caller, &self->workers[worker]);
      finished += self->finished[worker];
    }
    if (finished != 0 && finished != n) {
      fprintf(stderr, "%d of %d workers wait for ever in a barrier\n",
              n - finished, n);
      abort();
    }
    self->barriers += finished == 0;
  } while (finished == 0);
}

static void barrier(flywheel_team *team, int32_t worker) {
  interleaved_team *self = (interleaved_team *)team;
  swapcontext(&self->workers[worker], &self->caller);
}

interleaved_team *interleaved_team_create(int32_t workers, uint64_t seed) {
  interleaved_team *self = calloc(1, sizeof(interleaved_team));
  if (!self || workers < 1 || workers > MAX_WORKERS)
    return NULL;
  self->team.workers = workers;
  self->team.run = &run;
  self->team.barrier = &barrier;
  self->random = seed;
  self->stacks =
      mmap(NULL, (size_t)workers * STACK_BYTES, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return self->stacks == MAP_FAILED ? NULL : self;
}

void interleaved_team_destroy(interleaved_team *self) {
  munmap(self->stacks, (size_t)self->team.workers * STACK_BYTES);
  free(self);
}

/* Returns the number of barriers that its workers have passed. */
int64_t interleaved_team_count_barriers(const interleaved_team *self) {
  return self->barriers;
}
