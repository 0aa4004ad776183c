# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flywheel: a compiler for training graphs.

    import flywheel as fw

    w = fw.Variable(shape=(64, 10), name="w")
    adam = fw.optimizers.Adam(lr=0.01)

    @fw.function
    def step(image, label):
        loss = fw.nn.sparse_softmax_cross_entropy(image @ w, label)
        adam.minimize(loss)
        return loss

    for image, label in batches:
        loss = step(image, label)
    fw.save("digits.safetensors")

What is written in MLIR is compiled and run by hand:

    program = fw.compile("digits.mlir")
    session = fw.Session(program)
    session.initialize(seed=1)
    step = session.entry("train_step")
    for image, label in batches:  # C-contiguous arrays of the feeds' dtypes
        loss = step(image, label)
    session.save("digits.safetensors")

bfloat16 arrays have the dtype of `ml_dtypes`, or uint16 (the bits) where that
package is not installed.
"""

import json
import math
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import (
    _dtypes,
    _native,  # noqa: F401, I001  # Before whatever uses what it loads.
    clauses,
    constraints,
    data,
    initializers,
    linalg,
    nn,
    optimizers,
    random,
    schedules,
)
from ._compilation import check_kinds, check_names, device
from ._dtypes import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._exporting import export, module_of
from ._flywheel import (
    ArgumentInfo,
    CheckpointManager,
    CheckpointState,
    CompileError,
    CompileRemark,
    CompileWarning,
    DataLossError,
    DeviceArray,
    Entry,
    EntryInfo,
    FailedPreconditionError,
    InvalidArgumentError,
    Module,
    NotFoundError,
    Program,
    Session,
    VariableInfo,
    _compile,
    _cost,
    _load,
    batching_rules,
    derivative_rules,
    get_checkpoint_state,
    latest_checkpoint,
    lower,
    parse,
    stages,
)
from ._ops import (
    abs,
    absolute,
    add,
    all,
    allclose,
    any,
    append,
    arange,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    argmax,
    argmin,
    argsort,
    array_equal,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    average,
    bincount,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    block,
    broadcast_arrays,
    broadcast_to,
    cast,
    cbrt,
    ceil,
    clip,
    column_stack,
    concatenate,
    convolve,
    copysign,
    corrcoef,
    cos,
    cosh,
    count_nonzero,
    cov,
    cross,
    cumprod,
    cumsum,
    deg2rad,
    degrees,
    diag,
    diagonal,
    diff,
    digitize,
    dim,
    divide,
    divmod,
    dot,
    dstack,
    einsum,
    equal,
    erf,
    erfc,
    exp,
    exp2,
    expand_dims,
    expm1,
    eye,
    fabs,
    flip,
    fliplr,
    flipud,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    full,
    full_like,
    greater,
    greater_equal,
    heaviside,
    histogram,
    hsplit,
    hstack,
    hypot,
    identity,
    inner,
    interp,
    invert,
    isclose,
    isfinite,
    isinf,
    isnan,
    kron,
    left_shift,
    less,
    less_equal,
    lgamma,
    linspace,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    logspace,
    logsumexp,
    matmul,
    max,
    maximum,
    mean,
    median,
    meshgrid,
    min,
    minimum,
    mod,
    moveaxis,
    multiply,
    nan_to_num,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    negative,
    norm,
    not_equal,
    one_hot,
    ones,
    ones_like,
    outer,
    pad,
    percentile,
    polyval,
    positive,
    power,
    prod,
    ptp,
    quantile,
    rad2deg,
    radians,
    ravel,
    reciprocal,
    remainder,
    repeat,
    reshape,
    right_shift,
    rint,
    roll,
    rot90,
    round,
    rsqrt,
    searchsorted,
    select,
    shape,
    sigmoid,
    sign,
    signbit,
    sin,
    sinc,
    sinh,
    sort,
    split,
    sqrt,
    square,
    squeeze,
    stack,
    std,
    stop_gradient,
    subtract,
    sum,
    swapaxes,
    take,
    take_along_axis,
    tan,
    tanh,
    tensordot,
    tile,
    top_k,
    trace,
    transpose,
    trapezoid,
    tri,
    tril,
    triu,
    true_divide,
    trunc,
    unstack,
    var,
    vdot,
    vecdot,
    vsplit,
    vstack,
    where,
    zeros,
    zeros_like,
)
from ._ops._updates import At, Place
from ._tensor import Tensor, TensorLike, as_tensor, constant
from ._tree import map_leaves
from .averages import ExponentialMovingAverage
from .control import cond, fori_loop, map, scan, switch, while_loop
from .function import Function, TensorSpec, Traced, function, spec
from .microbatches import microbatch
from .namespace import (
    Namespace,
    add_to_collection,
    collection,
    current_namespace,
    global_variables,
    name_scope,
    trainable_variables,
)
from .profile import Kernel, Profile, ProfiledEntry
from .store import Store, current_store, restore, save, set_seed
from .transforms import (
    custom_vjp,
    grad,
    gradients,
    hessian,
    jacobian,
    jacobian_of,
    jvp,
    jvp_of,
    value_and_grad,
    vjp,
    vmap,
)
from .variables import Variable

__all__ = [
    "ArgumentInfo",
    "At",
    "CheckpointManager",
    "CheckpointState",
    "CompileError",
    "CompileRemark",
    "CompileWarning",
    "DataLossError",
    "DeviceArray",
    "Entry",
    "EntryInfo",
    "ExponentialMovingAverage",
    "FailedPreconditionError",
    "Function",
    "InvalidArgumentError",
    "Kernel",
    "Module",
    "Namespace",
    "NotFoundError",
    "Place",
    "Profile",
    "ProfiledEntry",
    "Program",
    "Session",
    "Store",
    "Tensor",
    "TensorLike",
    "TensorSpec",
    "Traced",
    "Variable",
    "VariableInfo",
    "abs",
    "absolute",
    "add",
    "add_to_collection",
    "all",
    "allclose",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "array_equal",
    "array_split",
    "as_tensor",
    "asarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "batching_rules",
    "bfloat16",
    "bincount",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "block",
    "bool_",
    "broadcast_arrays",
    "broadcast_to",
    "cast",
    "cbrt",
    "ceil",
    "clauses",
    "clip",
    "collection",
    "column_stack",
    "compile",
    "concatenate",
    "cond",
    "constant",
    "constraints",
    "convolve",
    "copysign",
    "corrcoef",
    "cos",
    "cosh",
    "cost",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "current_namespace",
    "current_store",
    "custom_vjp",
    "data",
    "deg2rad",
    "degrees",
    "derivative_rules",
    "device",
    "diag",
    "diagonal",
    "diff",
    "digitize",
    "dim",
    "divide",
    "divmod",
    "dot",
    "dstack",
    "e",
    "einsum",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "export",
    "eye",
    "fabs",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "fori_loop",
    "full",
    "full_like",
    "function",
    "get_checkpoint_state",
    "global_variables",
    "grad",
    "gradients",
    "greater",
    "greater_equal",
    "heaviside",
    "hessian",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "identity",
    "inf",
    "initializers",
    "inner",
    "int16",
    "int32",
    "int64",
    "int8",
    "interp",
    "invert",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "jacobian",
    "jacobian_of",
    "jvp",
    "jvp_of",
    "kron",
    "latest_checkpoint",
    "left_shift",
    "less",
    "less_equal",
    "linalg",
    "lgamma",
    "linspace",
    "load",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "logsumexp",
    "lower",
    "map",
    "map_leaves",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "microbatch",
    "min",
    "minimum",
    "mod",
    "module_of",
    "moveaxis",
    "multiply",
    "name_scope",
    "nan",
    "nan_to_num",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "negative",
    "newaxis",
    "nn",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "optimizers",
    "outer",
    "pad",
    "parse",
    "percentile",
    "pi",
    "polyval",
    "positive",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "quantile",
    "rad2deg",
    "radians",
    "random",
    "ravel",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "restore",
    "right_shift",
    "rint",
    "roll",
    "rot90",
    "round",
    "rsqrt",
    "save",
    "scan",
    "schedules",
    "searchsorted",
    "select",
    "set_seed",
    "shape",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sort",
    "spec",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stages",
    "std",
    "stop_gradient",
    "string",
    "subtract",
    "sum",
    "swapaxes",
    "switch",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "top_k",
    "trace",
    "trainable_variables",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unstack",
    "value_and_grad",
    "var",
    "vdot",
    "vecdot",
    "vjp",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]

promote_types = _dtypes.promote

pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
array = constant
asarray = as_tensor

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Source = Union[Module, Path]


def load(path: Path) -> Module:
    """Parses the model in a file.

    Raises FileNotFoundError and other OSErrors; CompileError.
    """
    with open(path, "rb"):  # For Python's own errors.
        pass
    return _load(path)


def _read(source: Source) -> Module:
    if isinstance(source, str) and "\n" in source:
        return parse(source)
    if not isinstance(source, (Module, str, bytes, os.PathLike)):
        raise TypeError(f"expected a module, its text or a path, found {source!r}")
    return source if isinstance(source, Module) else load(source)


def compile(
    source: Source,
    *,
    lowering: Optional[str] = None,
    model_name: Optional[str] = None,
    cpu: Optional[str] = None,
    features: Optional[str] = None,
    opt_level: int = 3,
    entries: Sequence[str] = (),
    freeze: Optional[Path] = None,
    freeze_variables: Sequence[str] = (),
    target: Optional[str] = None,
    memory_budget: Optional[int] = None,
    max_dim_size: Union[int, Mapping[str, int], None] = None,
    winograd: bool = False,
    check_numerics: bool = False,
    profile: bool = False,
    threads: Optional[int] = None,
    min_shared_work: int = 4_000_000,
) -> Program:
    """Compiles a model for this machine.

    `source` is a module, its text (which has more than one line) or a path.
    `lowering` is "optimized" (fused, tiled, vectorized; the default) or
    "reference" (one plain scalar loop nest an op). `model_name` is by default the module's name,
    or else the stem of its file, or "model". `cpu` (an LLVM name, such as
    "x86-64-v3") and `features` ("+avx2,-fma") limit the instructions that are
    used. `opt_level`, 0 to 3, is the effort of LLVM. `target` is where steps are executed:
    "cpu", or "cuda" and "cuda:sm_90a" for a GPU with at least that architecture.

    `entries` names the entries to keep: of variables, only what they use stays.
    With `freeze`, the path of a checkpoint, every variable that no entry assigns
    is a constant with its value there; `freeze_variables` limits that to some,
    which then must not be assigned.

    With `memory_budget`, the workspace of an entry is at most so many bytes where
    no dynamic dimension size (the batch) exceeds `max_dim_size` (by default 1024): values that the backward
    part of a step would find in memory are recomputed where they do not fit.
    Results are the same, bit for bit. A budget that cannot be reached is a
    CompileError that names the smallest workspace; `EntryInfo.workspace_bytes`
    gives the size of one.

    `max_dim_size` may also bound single dimension sizes, {"batch": 4, "time": 256}, by the
    names that the program gives them (`train.dims`) or that they have: `batch`,
    and `x_dim1` for another of the feed `x`. The program then refuses feeds with
    more, and compares sizes at these bounds; the others count as 1024.

    With `winograd` convolutions with filters of 3 x 3 and their gradients by the
    input are computed by Winograd's method where that is faster, on a CPU and with
    "optimized": with larger errors, which docs/Precision.md bounds.

    With `check_numerics` a step fails at the first op whose result has a NaN or an
    infinity, with an InvalidArgumentError that names it; variables keep their
    values. See docs/Health.md.

    With `profile`, `Session.profile` measures how long each kernel takes. See
    docs/Profiling.md.

    `threads` is how many threads may execute a step together, by default
    FLYWHEEL_NUM_THREADS of the environment, or else 1; `Session.threads` limits it for
    the calls of a session. Results do not depend on it. A step of less than
    `min_shared_work` scalar operations is executed by one.

    A module that `lower` made, or that was parsed from the output of a stage, goes
    on from there: options that its stages have read need not be given again, and
    must not differ.

    Raises CompileError with every error and its location; FileNotFoundError;
    ValueError for a wrong argument. What the compiler warns of is a Python warning
    of the category CompileWarning, what it remarks (a copy that a step needs) one of
    its subclass CompileRemark:
    `warnings.filterwarnings("ignore", category=flywheel.CompileRemark)`.
    """
    if freeze_variables and freeze is None:
        raise ValueError("freeze_variables needs freeze, the path of a checkpoint")
    check_kinds(threads=threads, winograd=winograd, check_numerics=check_numerics, profile=profile, target=target,
                memory_budget=memory_budget, opt_level=opt_level, min_shared_work=min_shared_work,
                lowering=lowering, model_name=model_name, cpu=cpu, features=features,
                max_dim_size=None if isinstance(max_dim_size, Mapping) else max_dim_size)  # fmt: skip
    check_names(entries=entries, freeze_variables=freeze_variables)
    named = dict(max_dim_size) if isinstance(max_dim_size, Mapping) else {}
    return _compile(
        _read(source),
        lowering=lowering,
        model_name=model_name,
        cpu=cpu,
        features=features,
        opt_level=opt_level,
        entries=entries,
        freeze=freeze,
        freeze_variables=freeze_variables,
        target=target,
        memory_budget=memory_budget,
        max_dim_size=None if isinstance(max_dim_size, Mapping) else max_dim_size,
        max_dim_sizes=named,
        winograd=winograd,
        check_numerics=check_numerics,
        profile=profile,
        threads=threads,
        min_shared_work=min_shared_work,
    )


def cost(
    source: Source,
    *,
    bindings: Optional[Mapping[str, int]] = None,
    entries: Sequence[str] = (),
    fetches: Sequence[str] = (),
    whole_graph: bool = False,
) -> Dict[str, Any]:
    """Counts what each entry of a model takes: see docs/Cost.md.

    `source` is as for `compile`. The result has what `flywheel-compile
    --cost=json` prints: `before` and `after` optimization, for each entry the
    floating-point operations and bytes of the forward pass, the backward pass and
    the update, by op and in total, and the most memory that its tensors take.
    Numbers are ints, or strings (`7200*batch`) where they depend on a size that
    `bindings`, {"batch": 32}, does not give. `fetches` names results: only what
    they depend on counts, and there is no `after`. With `whole_graph` what nothing
    uses counts too, and the initial values of variables.

    Raises CompileError for a name that there is not, and for what `compile`
    refuses; ValueError for a size that is negative.
    """
    text = _cost(_read(source), dict(bindings or {}), entries, fetches, whole_graph)
    result: Dict[str, Any] = json.loads(text)
    return result
