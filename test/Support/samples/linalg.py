# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of structured ops."""

from samples.sampling import MATRIX, apart, arg, sample, signed, within

sample("linalg.transpose", [arg("tensor<?x3x2xf64>", dim_sizes=(5,))],
       "%zero = arith.constant 0 : index\n%n = tensor.dim %a0, %zero : tensor<?x3x2xf64>\n"
       "%e = tensor.empty(%n) : tensor<3x2x?xf64>\n"
       "%y = linalg.transpose ins(%a0 : tensor<?x3x2xf64>) outs(%e : tensor<3x2x?xf64>) permutation = [1, 2, 0]",
       "tensor<3x2x?xf64>",
       jax="jnp.transpose(a0, (1, 2, 0))")
sample("linalg.broadcast", [arg("tensor<?xf64>", dim_sizes=(5,))],
       "%zero = arith.constant 0 : index\n%n = tensor.dim %a0, %zero : tensor<?xf64>\n"
       "%e = tensor.empty(%n) : tensor<3x?x2xf64>\n"
       "%y = linalg.broadcast ins(%a0 : tensor<?xf64>) outs(%e : tensor<3x?x2xf64>) dimensions = [0, 2]",
       "tensor<3x?x2xf64>",
       jax="jnp.broadcast_to(a0[None, :, None], (3, 5, 2))")
sample("linalg.fill", [arg("tensor<f64>"), arg("tensor<?x3xf64>")],
       "%s = tensor.extract %a0[] : tensor<f64>\n"
       "%y = linalg.fill ins(%s : f64) outs(%a1 : tensor<?x3xf64>) -> tensor<?x3xf64>", "tensor<?x3xf64>",
       jax="jnp.full(a1.shape, a0)")
sample("linalg.reduce", [arg("tensor<?x3x2xf64>"), arg("tensor<3xf64>")],
       "%y = linalg.reduce { arith.addf } ins(%a0 : tensor<?x3x2xf64>) outs(%a1 : tensor<3xf64>) "
       "dimensions = [0, 2]", "tensor<3xf64>",
       jax="a1 + a0.sum((0, 2))")
sample("linalg.matmul", [arg("tensor<?x3xf64>", dim_sizes=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", dim_sizes=(5,))],
       "%y = linalg.matmul ins(%a0, %a1 : tensor<?x3xf64>, tensor<3x2xf64>) outs(%a2 : tensor<?x2xf64>) "
       "-> tensor<?x2xf64>", "tensor<?x2xf64>",
       jax="a2 + a0 @ a1")


def destination(type: str, name: str = "%e") -> str:
    """A destination of a type with a static shape that is overwritten."""
    return f"{name} = tensor.empty() : {type}\n"


# Named elementwise ops, through their bodies.
for op, draw, jax in (("abs", signed(0.5, 2), "jnp.abs(a0)"), ("erf", within(-2, 2), "lax.erf(a0)"),
                      ("exp", within(-2, 2), "jnp.exp(a0)"), ("log", within(0.5, 2), "jnp.log(a0)"),
                      ("negf", within(-2, 2), "-a0"), ("reciprocal", signed(0.5, 2), "1 / a0"),
                      ("rsqrt", within(0.5, 2), "lax.rsqrt(a0)"), ("sqrt", within(0.5, 2), "jnp.sqrt(a0)"),
                      ("square", within(-2, 2), "jnp.square(a0)"), ("tanh", within(-2, 2), "jnp.tanh(a0)"),
                      ("copy", within(-2, 2), "a0")):
    sample(f"linalg.{op}", [arg(MATRIX, draw), arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0 : {MATRIX}) outs(%a1 : {MATRIX}) -> {MATRIX}", MATRIX, jax=jax)
for op, jax in (("ceil", "jnp.ceil(a0)"), ("floor", "jnp.floor(a0)"), ("round", "lax.round(a0)")):
    sample(f"linalg.{op}", [arg(MATRIX, apart(0.3)), arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0 : {MATRIX}) outs(%a1 : {MATRIX}) -> {MATRIX}", MATRIX, constant=True, jax=jax)
for op, draws, jax in (("add", (within(-2, 2), within(-2, 2)), "a0 + a1"),
                       ("sub", (within(-2, 2), within(-2, 2)), "a0 - a1"),
                       ("mul", (within(-2, 2), within(-2, 2)), "a0 * a1"),
                       ("div", (within(-2, 2), signed(0.5, 2)), "a0 / a1"),
                       ("max", (apart(0.0), apart(0.5)), "jnp.maximum(a0, a1)"),
                       ("min", (apart(0.0), apart(0.5)), "jnp.minimum(a0, a1)"),
                       ("powf", (within(0.5, 2), within(-2, 2)), "a0 ** a1")):
    sample(f"linalg.{op}", [arg(MATRIX, draw) for draw in draws] + [arg(MATRIX)],
           f"%y = linalg.{op} ins(%a0, %a1 : {MATRIX}, {MATRIX}) outs(%a2 : {MATRIX}) -> {MATRIX}", MATRIX, jax=jax)
sample("linalg.select",
       [arg("tensor<?x3xi1>", lambda rng, shape: rng.integers(0, 2, shape).astype(bool), wrt=False),
        arg(MATRIX), arg(MATRIX), arg(MATRIX)],
       f"%y = linalg.select ins(%a0, %a1, %a2 : tensor<?x3xi1>, {MATRIX}, {MATRIX}) outs(%a3 : {MATRIX}) -> {MATRIX}",
       MATRIX,
       jax="jnp.where(a0, a1, a2)")
sample("linalg.elementwise", [arg("tensor<3xf64>"), arg(MATRIX), arg(MATRIX)],
       "%y = linalg.elementwise kind=#linalg.elementwise_kind<mul> "
       "indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>] "
       f"ins(%a0, %a1 : tensor<3xf64>, {MATRIX}) outs(%a2 : {MATRIX}) -> {MATRIX}", MATRIX,
       jax="a0 * a1")
sample("linalg.map", [arg(MATRIX), arg(MATRIX), arg(MATRIX)],
       f"%y = linalg.map ins(%a0, %a1 : {MATRIX}, {MATRIX}) outs(%a2 : {MATRIX}) "
       "(%p: f64, %q: f64, %o: f64) { %s = math.sin %p : f64 %t = arith.mulf %s, %q : f64 linalg.yield %t : f64 }",
       MATRIX,
       jax="jnp.sin(a0) * a1")

# Named contractions, which add to their destination.
for op, einsum, types in (("dot", "i,i", ("5", "5", "")),
                          ("matvec", "ij,j->i", ("?x3", "3", "?")),
                          ("vecmat", "i,ij->j", ("3", "3x2", "2")),
                          ("batch_matmul", "bij,bjk->bik", ("2x?x3", "2x3x4", "2x?x4")),
                          ("batch_matvec", "bij,bj->bi", ("2x4x3", "2x3", "2x4")),
                          ("batch_vecmat", "bi,bij->bj", ("2x3", "2x3x4", "2x4")),
                          ("batch_reduce_matmul", "bij,bjk->ik", ("2x?x3", "2x3x4", "?x4")),
                          ("mmt4d", "ikab,jkcb->ijac", ("2x3x1x2", "2x3x4x2", "2x2x1x4")),
                          ("batch_mmt4d", "nikab,njkcb->nijac", ("2x2x3x1x2", "2x2x3x2x2", "2x2x2x1x2"))):
    a, b, c = (f"tensor<{shape}{'x' if shape else ''}f64>" for shape in types)
    sample(f"linalg.{op}", [arg(type, dim_sizes=(5,)) for type in (a, b, c)],
           f"%y = linalg.{op} ins(%a0, %a1 : {a}, {b}) outs(%a2 : {c}) -> {c}", c,
           jax=f"a2 + jnp.einsum('{einsum}', a0, a1)")
sample("linalg.contract", [arg("tensor<?x3x2xf64>", dim_sizes=(5,)), arg("tensor<2x3x4xf64>"),
                           arg("tensor<4x?xf64>", dim_sizes=(5,))],
       "%y = linalg.contract indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k)>, "
       "affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (l, i)>] "
       "ins(%a0, %a1 : tensor<?x3x2xf64>, tensor<2x3x4xf64>) outs(%a2 : tensor<4x?xf64>) -> tensor<4x?xf64>",
       "tensor<4x?xf64>",
       jax="a2 + jnp.einsum('ijk,kjl->li', a0, a1)")
# Transposed, from operands of less precision.
sample("linalg.matmul", [arg("tensor<3x?xf64>", dim_sizes=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", dim_sizes=(5,))],
       "%y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, "
       "affine_map<(i, j, k) -> (i, j)>] ins(%a0, %a1 : tensor<3x?xf64>, tensor<3x2xf64>) "
       "outs(%a2 : tensor<?x2xf64>) -> tensor<?x2xf64>", "tensor<?x2xf64>",
       jax="a2 + a0.T @ a1")
sample("linalg.matmul", [arg("tensor<?x3xf64>", dim_sizes=(5,)), arg("tensor<3x2xf64>"),
                         arg("tensor<?x2xf64>", dim_sizes=(5,))],
       "%s = arith.truncf %a0 : tensor<?x3xf64> to tensor<?x3xf32>\n"
       "%t = arith.truncf %a1 : tensor<3x2xf64> to tensor<3x2xf32>\n"
       "%y = linalg.matmul ins(%s, %t : tensor<?x3xf32>, tensor<3x2xf32>) "
       "outs(%a2 : tensor<?x2xf64>) -> tensor<?x2xf64>", "tensor<?x2xf64>", tolerance=1e-2,
       jax="a2 + (a0.astype(jnp.float32).astype(jnp.float64) @ a1.astype(jnp.float32).astype(jnp.float64))")

# Reductions through their bodies: an extremum, and two sums in one.
sample("linalg.reduce", [arg("tensor<?x3x2xf64>", apart(0.0)), arg("tensor<3xf64>", within(-0.2, 0.2))],
       "%y = linalg.reduce { arith.maximumf } ins(%a0 : tensor<?x3x2xf64>) outs(%a1 : tensor<3xf64>) "
       "dimensions = [0, 2]", "tensor<3xf64>",
       jax="jnp.maximum(a0.max((0, 2)), a1)")
sample("linalg.reduce", [arg("tensor<?x3xf64>"), arg("tensor<?x3xf64>"), arg("tensor<3xf64>"), arg("tensor<3xf64>")],
       "%r:2 = linalg.reduce ins(%a0, %a1 : tensor<?x3xf64>, tensor<?x3xf64>) "
       "outs(%a2, %a3 : tensor<3xf64>, tensor<3xf64>) dimensions = [0] "
       "(%p: f64, %q: f64, %s: f64, %t: f64) { %u = arith.mulf %p, %q : f64 %v = arith.addf %u, %s : f64 "
       "%w = math.sin %q : f64 %x = arith.subf %t, %w : f64 linalg.yield %v, %x : f64, f64 }\n"
       "%y = arith.mulf %r#0, %r#1 : tensor<3xf64>",
       "tensor<3xf64>",
       jax="(a2 + (a0 * a1).sum(0)) * (a3 - jnp.sin(a1).sum(0))")


def generic(maps: str, iterators: str, operands: str, body: str, result: str, results: str = "%y") -> str:
    """One `linalg.generic`, over the affine maps `maps` of (i, j)."""
    indexing = ", ".join(f"affine_map<(i, j) -> ({map})>" for map in maps.split("; "))
    kinds = ", ".join(f'"{kind}"' for kind in iterators.split())
    return (f"{results} = linalg.generic {{indexing_maps = [{indexing}], iterator_types = [{kinds}]}} {operands} "
            f"{{\n{body}\n}} -> {result}\n")


# A row, a column of dimension size 1 and a number meet a matrix; the position counts.
sample("linalg.generic",
       [arg(MATRIX), arg("tensor<3xf64>"), arg("tensor<?x1xf64>"), arg("tensor<f64>"), arg(MATRIX)],
       "%n = tensor.extract %a3[] : tensor<f64>\n"
       + generic("i, j; j; i, 0; ; i, j", "parallel parallel",
                 f"ins(%a0, %a1, %a2, %n : {MATRIX}, tensor<3xf64>, tensor<?x1xf64>, f64) outs(%a4 : {MATRIX})",
                 "^bb0(%p: f64, %q: f64, %r: f64, %s: f64, %o: f64):\n"
                 "%i = linalg.index 1 : index\n%k = arith.index_cast %i : index to i64\n"
                 "%f = arith.sitofp %k : i64 to f64\n%t = arith.mulf %p, %q : f64\n%u = math.sin %t : f64\n"
                 "%v = math.fma %u, %r, %s : f64\n%w = arith.mulf %v, %f : f64\n"
                 "%x = arith.mulf %o, %r : f64\n%z = arith.addf %w, %x : f64\nlinalg.yield %z : f64", MATRIX), MATRIX,
       jax="(jnp.sin(a0 * a1) * a2 + a3) * jnp.arange(3.0) + a4 * a2")
# Two results, one of them summed; a number from outside of the body.
sample("linalg.generic", [arg(MATRIX), arg("tensor<3xf64>"), arg("tensor<f64>"), arg(MATRIX)],
       "%n = tensor.extract %a2[] : tensor<f64>\n"
       + generic("i, j; i, j; j", "reduction parallel",
                 f"ins(%a0 : {MATRIX}) outs(%a3, %a1 : {MATRIX}, tensor<3xf64>)",
                 "^bb0(%p: f64, %o: f64, %s: f64):\n%q = arith.mulf %p, %n : f64\n%t = math.exp %q : f64\n"
                 "%u = arith.subf %s, %t : f64\nlinalg.yield %q, %u : f64, f64",
                 f"({MATRIX}, tensor<3xf64>)", "%r:2")
       + generic("i, j; j; i, j", "parallel parallel",
                 f"ins(%r#0, %r#1 : {MATRIX}, tensor<3xf64>) outs(%a3 : {MATRIX})",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%t = arith.mulf %p, %q : f64\nlinalg.yield %t : f64", MATRIX),
       MATRIX,
       jax="a0 * a2 * (a1 - jnp.exp(a0 * a2).sum(0))")
# Softmax, as frameworks lower it.
sample("linalg.generic", [arg("tensor<4x3xf64>", apart(0.0))],
       "%zero = arith.constant 0.0 : f64\n%low = arith.constant -1.0e30 : f64\n"
       + destination("tensor<4x1xf64>") + destination("tensor<4x3xf64>", "%d")
       + "%f = linalg.fill ins(%low : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>\n"
       "%g = linalg.fill ins(%zero : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>\n"
       "%f1 = tensor.collapse_shape %f [[0, 1]] : tensor<4x1xf64> into tensor<4xf64>\n"
       "%g1 = tensor.collapse_shape %g [[0, 1]] : tensor<4x1xf64> into tensor<4xf64>\n"
       + generic("i, j; i", "parallel reduction", "ins(%a0 : tensor<4x3xf64>) outs(%f1 : tensor<4xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.maximumf %p, %o : f64\nlinalg.yield %t : f64",
                 "tensor<4xf64>", "%m1")
       + "%m = tensor.expand_shape %m1 [[0, 1]] output_shape [4, 1] : tensor<4xf64> into tensor<4x1xf64>\n"
       + generic("i, j; i, 0; i, j", "parallel parallel",
                 "ins(%a0, %m : tensor<4x3xf64>, tensor<4x1xf64>) outs(%d : tensor<4x3xf64>)",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%s = arith.subf %p, %q : f64\n%t = math.exp %s : f64\n"
                 "linalg.yield %t : f64", "tensor<4x3xf64>", "%x")
       + generic("i, j; i", "parallel reduction", "ins(%x : tensor<4x3xf64>) outs(%g1 : tensor<4xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.addf %p, %o : f64\nlinalg.yield %t : f64",
                 "tensor<4xf64>", "%s")
       + generic("i, j; i; i, j", "parallel parallel",
                 "ins(%x, %s : tensor<4x3xf64>, tensor<4xf64>) outs(%d : tensor<4x3xf64>)",
                 "^bb0(%p: f64, %q: f64, %o: f64):\n%t = arith.divf %p, %q : f64\nlinalg.yield %t : f64",
                 "tensor<4x3xf64>"),
       "tensor<4x3xf64>",
       jax="jax.nn.softmax(a0)")
# Equal numbers share: the derivative of a maximum of constants is a constant.
sample("linalg.generic", [arg("tensor<f64>", within(1.0, 2.0)), arg("tensor<3xf64>", within(-2, -1))],
       "%n = tensor.extract %a0[] : tensor<f64>\n%big = tensor.splat %n : tensor<4x3xf64>\n"
       + generic("i, j; j", "reduction parallel", "ins(%big : tensor<4x3xf64>) outs(%a1 : tensor<3xf64>)",
                 "^bb0(%p: f64, %o: f64):\n%t = arith.maxnumf %o, %p : f64\nlinalg.yield %t : f64",
                 "tensor<3xf64>"), "tensor<3xf64>",
       jax="jnp.full(3, a0)")
