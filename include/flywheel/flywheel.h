/*===- flywheel.h - The runtime library for programs in C ---------*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * Checkpoints of the variables of a model that is linked as an object file.
 * The file format is that of every other Flywheel program. Link with
 * -lflywheel_runtime and the C++ standard library (-lstdc++).
 *
 * The functions work on a block of state as the model's own functions do: calls
 * on one block must not overlap; different blocks are independent.
 *
 *   if (flywheel_save(NAME_model(), state, "model.ckpt", NULL))
 *     puts(flywheel_last_error(NAME_model(), state));
 *
 * NAME_model() is in the header that the compiler writes for the model, after
 * an #include of this one; so are NAME_save() and others, which pass it.
 *
 * Every function that has no other result returns 0, or one of the negative
 * codes below. After an error, the block has the code as its status, and a text
 * that describes the error. Unless stated otherwise, nothing else has changed.
 * Memory that is not a block of the model only gets the status, because another
 * model's block may be smaller; flywheel_last_error() then returns the text to
 * the thread of the call until its next one.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FLYWHEEL_FLYWHEEL_H
#define FLYWHEEL_FLYWHEEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names as in C. NOLINTBEGIN(readability-identifier-naming) */

/* Kinds of errors. The model's own statuses are positive. */
enum {
  FLYWHEEL_OK = 0,
  /* The arguments are invalid, whatever the state of the world. */
  FLYWHEEL_INVALID_ARGUMENT = -1,
  /* There is no such file, key or variable. */
  FLYWHEEL_NOT_FOUND = -2,
  /* A variable has no value, or a directory does not exist. */
  FLYWHEEL_FAILED_PRECONDITION = -3,
  /* Out of memory. */
  FLYWHEEL_RESOURCE_EXHAUSTED = -4,
  /* The operating system refused or failed a read or a write. */
  FLYWHEEL_IO_ERROR = -5,
  /* A file exists and is readable, but its contents are damaged. */
  FLYWHEEL_DATA_LOSS = -6
};

/* A variable and its place in the block. */
typedef struct flywheel_variable {
  /* UTF-8; the key in checkpoints. */
  const char *name;
  /* As NumPy names it: "float32", "bfloat16", "bool". */
  const char *dtype;
  /* `rank` dimension sizes, slowest first; may be null for a scalar. */
  const int64_t *shape;
  int32_t rank;
  /* Not 0 when it is in the collection of global variables. */
  int32_t is_global;
  /* The offset of the first element from the start of the block, and the size
   * of all elements, in bytes. */
  size_t offset;
  size_t bytes;
} flywheel_variable;

/* A string that the model names: its bytes, with a terminator that does not
 * count. */
typedef struct flywheel_string {
  const char *text;
  size_t bytes;
} flywheel_string;

/* The version of the structures here. */
#define FLYWHEEL_MODEL_VERSION 1

/* The description of a model by the compiler: constant data in its header.
 * Offsets are in bytes from the start of the block. */
typedef struct flywheel_model {
  /* FLYWHEEL_MODEL_VERSION. */
  uint32_t version;
  /* UTF-8. */
  const char *name;
  /* The first 8 bytes of a block of this layout; with others, nothing in it has
   * a value yet. */
  uint64_t layout_hash;
  size_t num_variables;
  const flywheel_variable *variables;
  /* The size of the block without the workspace. */
  size_t state_bytes;
  /* The seed of the last initialisation: uint64_t. */
  size_t seed_offset;
  /* The status of the last call: int32_t. */
  size_t status_offset;
  /* One byte a variable: 1 once it has a value. */
  size_t initialized_offset;
  /* One uint64_t a variable: how often its initialiser ran. */
  size_t runs_offset;
  /* The text of the last error, ended by a null byte. The variables come after
   * it, everything else before it. */
  size_t text_offset;
  size_t text_bytes;
  /* The offset of the strings of flywheel_intern(). */
  size_t strings_offset;
  /* The strings with the numbers from 1. */
  size_t num_strings;
  const flywheel_string *strings;
} flywheel_model;

/* The variables to save or restore. A null pointer, or all zeros, means all
 * global variables under their own names. */
typedef struct flywheel_checkpoint_options {
  /* Names of the variables, unless it is null. */
  const char *const *variables;
  size_t num_variables;
  /* Unless null, their keys in the checkpoint: one for each of `variables`;
   * null for a variable's own name. */
  const char *const *keys;
  /* In a restore: accept another shape with as many elements. */
  int32_t reshape;
  /* In a save: kept in the file's metadata. Alternately keys and values, two
   * strings for each of `num_metadata`. */
  const char *const *metadata;
  size_t num_metadata;
  /* In a restore: accept a checkpoint of a model of another name. With
   * `variables` it is accepted anyway. */
  int32_t any_model;
} flywheel_checkpoint_options;

/* Options for the names and the retention of checkpoints. A null pointer means
 * FLYWHEEL_MANAGER_OPTIONS. */
typedef struct flywheel_manager_options {
  /* The number of newest checkpoints to keep; 0 keeps all. */
  size_t max_to_keep;
  /* One of the checkpoints that would be deleted is kept permanently when at
   * least this many hours have passed since the last one that was kept. */
  double keep_checkpoint_every_n_hours;
  /* Write the step with at least 8 digits. */
  int32_t pad_step_number;
  /* The name of the state file in the directory of the checkpoints. */
  const char *state_file;
  /* When training began, in seconds since 1970; 0 stands for the first save. */
  double start_time;
} flywheel_manager_options;

#define FLYWHEEL_MANAGER_OPTIONS {5, 10000.0, 0, "checkpoint", 0.0}

/* A checkpoint without a step. */
#define FLYWHEEL_NO_STEP INT64_MIN

/*
 * Writes variables, and the positions of their random streams, to a file, all
 * or nothing.
 *
 * state: the block. Errors: `Attempting to use uninitialized value NAME`;
 * `No variables to save`; `Parent directory of PATH doesn't exist, can't save`.
 */
int32_t flywheel_save(const flywheel_model *model, void *state,
                      const char *path,
                      const flywheel_checkpoint_options *options);

/*
 * Writes the same to PREFIX-STEP, or PREFIX for FLYWHEEL_NO_STEP, records it in
 * the state file of its directory and deletes the checkpoints that are no
 * longer retained. If the state file's name is that of another file, this is an
 * error, and the file stays.
 *
 * path (out): unless null, `path_bytes` bytes for the path that is written; if
 *   they are too few, nothing is saved.
 */
int32_t flywheel_save_step(const flywheel_model *model, void *state,
                           const char *prefix, int64_t step,
                           const flywheel_checkpoint_options *options,
                           const flywheel_manager_options *manager, char *path,
                           size_t path_bytes);

/*
 * Fills variables from a file, after which they have values. Everything is
 * checked first.
 *
 * state: the block, of any content; strings of another model are to be released
 * first. Errors: `PATH is not a valid checkpoint`; a checkpoint of another
 * model; `Key NAME not found in checkpoint`; a dtype or a shape that differs.
 * After an error nothing has changed, unless the disk failed while values were
 * read: then the variables to restore have no value.
 */
int32_t flywheel_restore(const flywheel_model *model, void *state,
                         const char *path,
                         const flywheel_checkpoint_options *options);

/*
 * Restores the latest checkpoint in a directory, if its state file names one.
 * After the model's initialiser this is "load or initialise".
 *
 * state_file: null stands for "checkpoint". restored (out): 1 or 0; 0 after an
 * error.
 */
int32_t flywheel_restore_latest(const flywheel_model *model, void *state,
                                const char *directory, const char *state_file,
                                const flywheel_checkpoint_options *options,
                                int32_t *restored);

/*
 * Writes the path of the latest checkpoint in a directory to `path`. Errors:
 * FLYWHEEL_NOT_FOUND if there is no readable state file or the checkpoint does
 * not exist; FLYWHEEL_INVALID_ARGUMENT if `path_bytes` are too few.
 */
int32_t flywheel_latest_checkpoint(const char *directory,
                                   const char *state_file, char *path,
                                   size_t path_bytes);

/*
 * Stores the number of a string in feeds and variables of strings: the same for
 * equal strings, 0 for the empty one. The block keeps a copy of the string
 * until flywheel_collect_strings() or flywheel_release(). A block with strings
 * must not be copied to another.
 *
 * state: a block that has been initialised, reset or restored. text: `bytes`
 * bytes of any values. number (out).
 */
int32_t flywheel_intern(const flywheel_model *model, void *state,
                        const char *text, size_t bytes, int64_t *number);

/*
 * Returns the string of a number, of a result or a variable, with a terminator;
 * valid as long as the block keeps it. Null for a number without a string.
 *
 * bytes (out): may be null.
 */
const char *flywheel_text(const flywheel_model *model, const void *state,
                          int64_t number, size_t *bytes);

/*
 * Forgets the strings that no variable has and that the model does not name;
 * the numbers of others stay as they are. For programs that feed ever new
 * strings.
 */
int32_t flywheel_collect_strings(const flywheel_model *model, void *state);

/*
 * Frees the strings of a block, before its memory is freed or used for
 * something else. Its variables of strings have no value then.
 */
void flywheel_release(const flywheel_model *model, void *state);

/*
 * Teams of workers, for models that are compiled for several threads
 * (--threads=N): their functions take one. Null stands for the caller alone.
 */
#ifndef FLYWHEEL_TEAM
#define FLYWHEEL_TEAM
/* Workers that execute a step together. A program may use threads of its own:
 * `run` calls body(context, worker) for each worker from 0 to workers - 1, all
 * at the same time, and returns when all have returned; meanwhile `barrier`,
 * which each of them calls with its number, returns once all have called it.
 * `run` may make `workers` smaller for the time of the call. One call at a time
 * uses a team. */
typedef struct flywheel_team flywheel_team;
struct flywheel_team {
  int32_t workers;
  void (*run)(flywheel_team *team, void (*body)(void *context, int32_t worker),
              void *context);
  void (*barrier)(flywheel_team *team, int32_t worker);
};
#endif

/*
 * Returns a team of at most `workers` workers, the first of which is the thread
 * that calls the model. The others are threads of this library: those of all
 * teams together are at most flywheel_max_workers(), and calls that overlap get
 * fewer workers. Results do not depend on it. Null without memory, or for less
 * than one worker.
 */
flywheel_team *flywheel_team_create(int32_t workers);

/* Frees a team that no call uses; null is allowed. */
void flywheel_team_destroy(flywheel_team *team);

/*
 * Returns, or sets, the maximum number of workers of all teams that run at the
 * same time. The default is FLYWHEEL_NUM_THREADS of the environment, or else
 * the number of processors that the process may use; values below 1 set the
 * default.
 */
int32_t flywheel_max_workers(void);
void flywheel_set_max_workers(int32_t workers);

/* Returns the error of the last call here on the block, or "" after success. */
const char *flywheel_last_error(const flywheel_model *model, const void *state);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FLYWHEEL_FLYWHEEL_H */
