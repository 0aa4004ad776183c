# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regression tests: IR through the tools, checked by FileCheck.

Features: `python` where the bindings are built; `fuzz` where FLYWHEEL_FUZZ_SECONDS is set;
`torch`, `jax`, `flax`, `keras`, `onnx`, `onnxruntime`, `tensorflow`, `tf_keras`, `tensorboardX`, `tqdm` and
`matplotlib` where FLYWHEEL_PEERS_PYTHON, or else the Python of the tests, has them (programs that need them run in
it); `site` where FLYWHEEL_DOCS_PYTHON, or else the Python of the tests, has what builds the documentation;
`clang-tidy` where it is installed; `tsan` where clang has ThreadSanitizer; `openmp` where gcc has OpenMP;
`gpu` where a CUDA device can be used; `gdb` where it is installed; `runs-aarch64` and so on where programs for
another machine can be made and run.
Substitutions: tools by name; `%python`; `%peers_python`; `%src_root`; `%obj_root`; `%runtime_libs`;
`%mlir_lib_dir`, where the libraries that mlir-runner loads are; `%flywheel_lib_dir`, where
ours and the test plugin are; and, from linalg to numbers, `%to_llvm`,
`%runner`, and `%run_linalg` for the two in a row.
"""

import os
import platform
import shutil
import subprocess

import lit.formats

config.name = "Flywheel"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
# Folders, and this file: a name of a file would leave out tests of that name in every folder (test/Lint/excludes.py).
config.excludes = ["Inputs", "Support", "KerasSuite", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.flywheel_obj_root, "test")
# The tests that took the longest elsewhere begin first where no run has recorded durations yet.
durations = os.path.join(config.test_exec_root, ".lit_test_times.txt")
if not os.path.exists(durations):
    shutil.copy(os.path.join(config.test_source_root, "slow_tests.txt"), durations)

tools = os.path.join(config.flywheel_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join([tools, config.llvm_tools_dir, os.environ.get("PATH", "")])
# Upstream's parser and verifiers crash on too many mutants still: Fuzz/passes.py runs only when asked.
if "FLYWHEEL_FUZZ_SECONDS" in os.environ:
    config.available_features.add("fuzz")
# Time limits and seeds of the generators of Fuzz/; the selection of cases of long tests.
for variable in ("FLYWHEEL_FUZZ_SEED", "FLYWHEEL_FUZZ_SECONDS", "FLYWHEEL_TEST_ALL", "FLYWHEEL_TEST_SEED",
                 "FLYWHEEL_TEST_ONLY_GPU", "FLYWHEEL_SIM_ORDER"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# Tests that decide about a commit try the same cases each time; searches try others.
if "FLYWHEEL_FUZZ_SECONDS" in os.environ:
    config.environment.setdefault("FLYWHEEL_FUZZ_SEED", "random")
# A test that hangs fails, and is named. The longest takes a tenth of this on a quiet machine.
seconds = 900 * (8 if config.sanitizers or "FLYWHEEL_TEST_ALL" in os.environ else 1)
seconds += 2 * int(os.environ.get("FLYWHEEL_FUZZ_SECONDS") or 0)
supported, problem = lit_config.maxIndividualTestTimeIsSupported
if not supported:
    lit_config.note("tests that hang are not stopped: " + problem)
elif not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = seconds
# Programs in Python say before what they do.
config.environment["FLYWHEEL_TEST_SECONDS"] = str(lit_config.maxIndividualTestTime)
# Each test has one processor: threads of NumPy's products that wait for the next one take it from other tests.
config.environment["OPENBLAS_NUM_THREADS"] = "1"
# Not among the programs of the user who tests.
config.environment["FLYWHEEL_CACHE"] = os.path.join(config.test_exec_root, "program-cache")
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"

# With sanitizers (presets asan and tsan) an error ends a program with a signal, so
# that `not` tells it from errors that the program reports.
python = config.python_executable
if config.sanitizers:
    common = "abort_on_error=1:halt_on_error=1:print_stacktrace=1"
    config.environment["ASAN_OPTIONS"] = common + (
        # As without sanitizers, who asks for too much memory is told.
        ":allocator_may_return_null=1"
        # An arena (BumpPtrAllocator) is poison until it is given out, which LLVM's code
        # does without telling: that is not instrumented, and shares inline functions.
        ":allow_user_poisoning=0"
    )
    config.environment["UBSAN_OPTIONS"] = config.environment["TSAN_OPTIONS"] = common
    # Python loads the module late, when the run time must be there already. It frees
    # little at its end.
    python = "env LD_PRELOAD=%s ASAN_OPTIONS=%s:detect_leaks=0 %s" % (
        config.sanitizer_runtime,
        config.environment["ASAN_OPTIONS"],
        python,
    )

config.substitutions += [
    (r"\bFileCheck\b", config.filecheck),
    ("%python", python),
    # C as pedantic as a user may have it, and C++ likewise.
    ("%cc", config.c_compiler + " -std=c99 -Wall -Wextra -pedantic -Werror"),
    ("%host_cc", config.c_compiler),
    ("%cxx", config.cxx_compiler + " -std=c++11 -Wall -Wextra -pedantic -Werror"),
    # The libraries with which a C program that saves and restores is linked.
    ("%runtime_libs", "-L%s/lib -lflywheel_runtime -lstdc++ -lm" % config.flywheel_obj_root),
    ("%mlir_lib_dir", config.llvm_lib_dir),
    ("%flywheel_lib_dir", os.path.join(config.flywheel_obj_root, "lib")),
    ("%src_root", config.flywheel_src_root),
    ("%obj_root", config.flywheel_obj_root),
    ("%host_cxx", config.cxx_compiler),
]

# Kernels of a GPU are executed by a simulator, which has the interface of the driver.
config.environment["FLYWHEEL_LIBCUDA"] = os.path.join(
    config.flywheel_obj_root, "test/lib/libflywheel_gpu_simulator.so"
)
ptxas = shutil.which("ptxas", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
else:
    lit_config.note("PTX is not assembled: there is no ptxas")

if config.enable_python:
    config.available_features.add("python")
    # The bindings, and the modules that tests share (configurations.py and others).
    config.environment["PYTHONPATH"] = os.pathsep.join(
        [
            os.path.join(config.flywheel_obj_root, "python"),
            os.path.join(config.flywheel_src_root, "test/Support"),
        ]
    )
    config.substitutions.append(
        ("%clang_format", os.path.join(os.path.dirname(config.python_executable), "clang-format"))
    )
    # Other frameworks, of the same version of Python.
    peers_python = os.environ.get("FLYWHEEL_PEERS_PYTHON", config.python_executable)
    config.substitutions.insert(0, ("%peers_python", python.replace(config.python_executable, peers_python)))
    def importable(interpreter, modules):
        """Returns the modules that a Python has."""
        find = "import importlib.util, sys; print(*(m for m in sys.argv[1:] if importlib.util.find_spec(m)))"
        command = [interpreter, "-c", find, *modules]
        return subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True).stdout.split()

    optional = {
        "torch": "flywheel.torch",
        "jax": "flywheel.jax",
        "onnx": "flywheel.onnx",
        "tensorboardX": "event files of flywheel.v1 and flywheel.keras",
        "tqdm": "the progress bar of flywheel.keras",
        "h5py": "files of HDF5 of flywheel.keras",
        "scipy": "sparse inputs of flywheel.keras",
        "matplotlib": "curves of flywheel.keras",
    }
    frameworks = ("expecttest", "flax", "keras", "mpmath", "onnxruntime", "tensorflow", "tf_keras", *optional)
    config.available_features.update(importable(peers_python, frameworks))
    for package, what in optional.items():
        if package not in config.available_features:
            lit_config.note(
                "tests of %s are left out: set FLYWHEEL_PEERS_PYTHON to a Python that has %s" % (what, package)
            )
    # A Python that builds the documentation site, of the same version.
    docs_python = os.environ.get("FLYWHEEL_DOCS_PYTHON", config.python_executable)
    config.substitutions.append(("%docs_python", docs_python))
    if len(importable(docs_python, ("furo", "matplotlib", "myst_nb"))) == 3:
        config.available_features.add("site")
    else:
        lit_config.note(
            "the documentation site is not built: set FLYWHEEL_DOCS_PYTHON to a Python that has the packages of "
            "scripts/requirements-docs.txt"
        )
# Other machines: a C compiler for them, and what runs their programs here.
cross_tools = {
    "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
    "riscv64": ("riscv64-linux-gnu-gcc", "qemu-riscv64"),
    "armv7": ("arm-linux-gnueabihf-gcc", "qemu-arm"),
    "thumbv7em": ("arm-none-eabi-gcc", "qemu-arm"),
    "wasm32": ("clang", "wasm-ld", "node"),
}
for name, needed in cross_tools.items():
    if all(shutil.which(tool, path=config.environment["PATH"]) for tool in needed):
        config.available_features.add("runs-" + name)
if os.path.exists(os.path.join(config.llvm_tools_dir, "clang-tidy")):
    config.available_features.add("clang-tidy")


def has_library(compiler, name):
    """Returns true if a compiler finds a library of its own."""
    if shutil.which(compiler, path=config.environment["PATH"]) is None:
        return False
    command = [compiler, "-print-file-name=" + name]
    environment = dict(os.environ, PATH=config.environment["PATH"])
    found = subprocess.run(command, check=False, capture_output=True, env=environment, text=True)
    return os.path.exists(found.stdout.strip())


if has_library("clang", "libclang_rt.tsan-%s.a" % platform.machine()) and not config.sanitizers:
    config.available_features.add("tsan")
if has_library("gcc", "libgomp.so"):
    config.available_features.add("openmp")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")

if shutil.which("gdb", path=config.environment["PATH"]) and not config.sanitizers:
    config.available_features.add("gdb")

# From linalg on tensors to the numbers that `main` prints, by the plainest way
# there is: upstream bufferization, scalar loops and upstream's runner.
to_llvm = ",".join(
    [
        "one-shot-bufferize{bufferize-function-boundaries "
        "allow-return-allocs-from-loops "
        "function-boundary-type-conversion=identity-layout-map}",
        "func.func(flywheel-lower-linalg-ext)",
        "func.func(convert-linalg-to-loops)",
        "func.func(lower-affine)",
        "expand-strided-metadata",
        "lower-affine",
        "convert-scf-to-cf",
        "func.func(arith-expand)",
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "finalize-memref-to-llvm",
        "convert-arith-to-llvm",
        "convert-index-to-llvm",
        "convert-func-to-llvm",
        "convert-cf-to-llvm",
        "reconcile-unrealized-casts",
    ]
)
shared_libs = ",".join(
    os.path.join(config.llvm_lib_dir, name) for name in ("libmlir_c_runner_utils.so", "libmlir_runner_utils.so")
)
to_llvm_tool = "flywheel-opt --pass-pipeline='builtin.module(%s)'" % to_llvm
runner = "mlir-runner -e main -entry-point-result=void -shared-libs=" + shared_libs
config.substitutions += [
    ("%to_llvm", to_llvm_tool),
    ("%runner", runner),
    ("%run_linalg", to_llvm_tool + " | " + runner),
]
