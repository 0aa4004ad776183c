/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a step with teams: none, threads of the program, those of the runtime
 * library, and teams that cannot work. */
#include <flywheel/flywheel.h>

#include "team.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("line %d: expected %s\n", __LINE__, #condition);                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* A team that makes threads for each call. */
typedef struct own_team {
  flywheel_team team;
  pthread_mutex_t mutex;
  pthread_cond_t all;
  int waiting, phase, calls;
} own_team;

typedef struct job {
  void (*body)(void *, int32_t);
  void *context;
  int32_t worker;
} job;

static void *run_job(void *data) {
  job *j = (job *)data;
  j->body(j->context, j->worker);
  return NULL;
}

static void run_own(flywheel_team *team, void (*body)(void *, int32_t),
                    void *context) {
  pthread_t threads[8];
  job jobs[8];
  int32_t i;
  ++((own_team *)team)->calls;
  for (i = 0; i < team->workers; ++i) {
    jobs[i].body = body, jobs[i].context = context, jobs[i].worker = i;
    CHECK(pthread_create(&threads[i], NULL, &run_job, &jobs[i]) == 0);
  }
  for (i = 0; i < team->workers; ++i)
    pthread_join(threads[i], NULL);
}

static void wait_for_all(flywheel_team *team, int32_t worker) {
  own_team *own = (own_team *)team;
  int phase;
  CHECK(worker >= 0 && worker < team->workers);
  pthread_mutex_lock(&own->mutex);
  phase = own->phase;
  if (++own->waiting == team->workers) {
    own->waiting = 0;
    ++own->phase;
    pthread_cond_broadcast(&own->all);
  }
  while (own->phase == phase)
    pthread_cond_wait(&own->all, &own->mutex);
  pthread_mutex_unlock(&own->mutex);
}

static void run_nothing(flywheel_team *team, void (*body)(void *, int32_t),
                        void *context) {
  (void)team, (void)body, (void)context;
}

static team_state *make_state(void) {
  team_state *s = (team_state *)aligned_alloc(
      TEAM_STATE_ALIGN, (TEAM_STATE_BYTES + 63) / 64 * 64);
  CHECK(s && team_init(s, 1) == 0);
  return s;
}

/* Call number `call` of a block, the first of which is 1. */
static void check_call(team_state *s, flywheel_team *team, int call) {
  float x[8], y[8] = {0};
  int i;
  for (i = 0; i < 8; ++i)
    x[i] = (float)(i * call);
  /* A denormal number, which is zero in each worker. */
  x[0] = x[7] = 1e-40f;
  CHECK(team_mirror(s, team, x, y) == 0);
  for (i = 0; i < 8; ++i)
    CHECK(y[i] == (i % 7 ? 2.0f * x[7 - i] : 0.0f) + (float)call);
}

static void *call_often(void *data) {
  flywheel_team *team = flywheel_team_create(2);
  team_state *s = make_state();
  int call;
  (void)data;
  for (call = 1; call <= 300; ++call)
    check_call(s, call % 5 ? team : NULL, call);
  free(s);
  flywheel_team_destroy(team);
  return NULL;
}

static void check_refused(team_state *s, flywheel_team *team,
                          const char *expected) {
  float x[8] = {1}, y[8] = {7};
  float scalar = 0;
  CHECK(team_mirror(s, team, x, y) > 0);
  if (strcmp(team_last_error(s), expected)) {
    printf("expected '%s', found '%s'\n", expected, team_last_error(s));
    exit(1);
  }
  CHECK(y[0] == 7);
  /* A step that one thread executes does not look at its team. */
  CHECK(team_alone(s, team, x, &scalar) == 0 && scalar == 1);
}

int main(void) {
  own_team own = {{2, &run_own, &wait_for_all},
                  PTHREAD_MUTEX_INITIALIZER,
                  PTHREAD_COND_INITIALIZER,
                  0,
                  0,
                  0};
  flywheel_team *pool, bad = {3, &run_own, &wait_for_all};
  pthread_t threads[3];
  team_state *s = make_state();
  float x[8] = {-1}, y[8];
  int i;
  CHECK(TEAM_MAX_WORKERS == 2);

  /* Teams may change from call to call. */
  check_call(s, NULL, 1);
  check_call(s, &own.team, 2);
  CHECK(own.calls == 1);
  check_call(s, NULL, 3);
  own.team.workers = 1;
  check_call(s, &own.team, 4);
  CHECK(own.calls == 1);
  own.team.workers = 2;
  check_call(s, &own.team, 5);
  CHECK(own.calls == 2);
  CHECK(team_mirror(s, &own.team, x, y) == TEAM_E_CHECK);
  CHECK(strcmp(team_last_error(s), "x[0] must not be negative") == 0);
  check_call(s, &own.team, 6);

  check_refused(s, &bad,
                "expected 1 to 2 workers in the team of 'mirror', found 3");
  bad.workers = 0;
  check_refused(s, &bad,
                "expected 1 to 2 workers in the team of 'mirror', found 0");
  bad.workers = -5;
  check_refused(s, &bad,
                "expected 1 to 2 workers in the team of 'mirror', found -5");
  bad.workers = 2, bad.barrier = NULL;
  check_refused(s, &bad,
                "expected functions 'run' and 'barrier' in the team of "
                "'mirror', found a null pointer");
  bad.barrier = &wait_for_all, bad.run = NULL;
  check_refused(s, &bad,
                "expected functions 'run' and 'barrier' in the team of "
                "'mirror', found a null pointer");
  bad.run = &run_nothing;
  check_refused(s, &bad,
                "expected the team of 'mirror' to run worker 0, found that it "
                "did not");
  check_call(s, NULL, 7);

  /* The library's threads, more of them than there are processors, and none. */
  CHECK(flywheel_team_create(0) == NULL);
  flywheel_team_destroy(NULL);
  pool = flywheel_team_create(2);
  CHECK(pool && pool->workers == 2);
  flywheel_set_max_workers(8);
  CHECK(flywheel_max_workers() == 8);
  for (i = 8; i < 308; ++i)
    check_call(s, pool, i);
  flywheel_set_max_workers(1);
  check_call(s, pool, 308);
  CHECK(pool->workers == 2);
  flywheel_team_destroy(pool);

  /* Several blocks at once, which share the threads. */
  for (int limit = 1; limit < 8; limit += 3) {
    flywheel_set_max_workers(limit);
    for (i = 0; i < 3; ++i)
      CHECK(pthread_create(&threads[i], NULL, &call_often, NULL) == 0);
    for (i = 0; i < 3; ++i)
      pthread_join(threads[i], NULL);
  }
  flywheel_set_max_workers(0);
  CHECK(flywheel_max_workers() >= 1);
  free(s);
  puts("teams work");
  return 0;
}
