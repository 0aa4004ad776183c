# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tensorflow
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""A1 to A9: reads, assignments, optimizers, groups and branches of random graphs, fetched together, as in TensorFlow,
wherever its graph orders each read of a variable and each write of it.

Under control dependencies programs read by `read_value`: an implicit read sees the start of the run (A5), which in
TensorFlow depends on the kind of variables.
"""

# mypy: disable-error-code="no-untyped-call"

import sys
import warnings
from typing import Any, Dict, List, Set, Tuple

import numpy as np

import flywheel.v1
from beside_tensorflow import Doubles, tensorflow
from selection import choose

PROGRAMS, RUNS = 400, 4


class Builder:
    """Makes a graph by draws that do not depend on the package."""

    def __init__(self, tf: Any, seed: int):
        self.tf, self.rng = Doubles(tf), np.random.RandomState(seed)
        tf.reset_default_graph()
        self.feed, self.flag = tf.placeholder(tf.float64, []), tf.placeholder(tf.bool, [])
        self.variables = [tf.Variable(self.rng.uniform(-1, 1, 2), dtype=tf.float64) for _ in range(3)]
        # Tensors, and what may be fetched and waited for besides.
        self.values: List[Any] = [tf.constant([0.5, -0.25], tf.float64)]
        self.ops: List[Any] = []
        # In control dependencies, and in a branch.
        self.is_bound = self.is_inner = False
        for _ in range(self.rng.randint(4, 11)):
            self.statement()
        self.fetches = [self.some([*self.values, *self.ops], self.rng.randint(1, 4)) for _ in range(RUNS)]

    def pick(self, things: Any) -> Any:
        return things[self.rng.randint(len(things))]

    def some(self, things: Any, count: int) -> List[Any]:
        return [things[i] for i in self.rng.permutation(len(things))[:count]]

    def read(self) -> Any:
        v, kind = self.pick(self.variables), self.rng.randint(5)
        if self.is_bound or kind == 0:
            return v.read_value()
        return [v, v, self.tf.identity(v), v.value()][kind - 1]

    def expression(self) -> Any:
        tf, kind = self.tf, self.rng.randint(5)
        first, scale = self.read(), self.rng.uniform(-1, 1)
        if kind == 0:
            return tf.tanh(first * scale)
        other = self.pick(self.values) if self.rng.randint(2) else self.read()
        if kind == 1:
            return tf.identity(first) + 0.1 * self.feed * other
        return [tf.sin(first) * other, first - scale * other, 0.95 * first + 0.05 * other][kind - 2]

    def write(self) -> Any:
        tf, kind, v, x = self.tf, self.rng.randint(6), self.pick(self.variables), self.expression()
        found = [lambda: v.assign(x), lambda: tf.assign(v, x), lambda: v.assign_add(0.1 * x),
                 lambda: tf.assign_add(v, 0.1 * x), lambda: v.assign_sub(0.1 * x), lambda: tf.assign_sub(v, 0.1 * x)]
        # The result of a write has no gradient with the variables of TensorFlow 1, and is a read of the others.
        return tf.stop_gradient(tf.convert_to_tensor(found[kind]()))  # fmt: skip

    def branches(self) -> Any:
        outer = self.values
        writes = self.rng.randint(3)

        def branch() -> Any:
            self.values = list(outer)
            made = self.write() if writes == 0 or writes == 1 and self.rng.randint(2) else self.expression()
            found = self.tf.identity(made)
            self.values = outer
            return found

        self.is_inner = True
        try:
            return self.tf.cond(self.flag, branch, branch)
        finally:
            self.is_inner = False

    def train(self) -> Any:
        tf, train = self.tf, self.tf.train
        chosen = self.some(self.variables, self.rng.randint(1, 3))
        loss = tf.reduce_sum(tf.square(sum(self.expression() for _ in range(2))))
        if not self.is_bound:
            # One that depends on each.
            loss += sum(tf.reduce_sum(tf.cos(v)) for v in chosen)
        else:
            loss += sum(tf.reduce_sum(tf.cos(v.read_value())) for v in chosen)
        kind = self.rng.randint(4)
        optimizer = [lambda: train.GradientDescentOptimizer(0.1), lambda: train.MomentumOptimizer(0.1, 0.5),
                     lambda: train.AdamOptimizer(0.05), lambda: train.AdagradOptimizer(0.1)][kind]()  # fmt: skip
        self.values.append(loss)
        # TensorFlow runs of a loss only what its derivative takes; the rest may assign, too.
        return tf.group(optimizer.minimize(loss, var_list=chosen), loss)

    def statement(self, depth: int = 0) -> None:
        tf, kind = self.tf, self.rng.randint(10)
        if kind < 2:
            self.values.append(tf.identity(self.expression()))
        elif kind < 5:
            self.values.append(self.write())
        elif kind == 5:
            self.values.append(self.branches())
        elif kind == 6:
            self.ops.append(self.train())
        elif kind == 7:
            self.ops.append(tf.group(*self.some([*self.values, *self.ops], 2)))
        elif depth < 2:
            before = self.is_bound
            with tf.control_dependencies(self.some([*self.values, *self.ops], self.rng.randint(1, 3))):
                self.is_bound = True
                for _ in range(self.rng.randint(1, 4)):
                    self.statement(depth + 1)
            self.is_bound = before


def run(graph: Builder, places: List[int]) -> List[List[Any]]:
    """Returns of these sets of fetches, each of which begins with new variables and runs twice, what is fetched, and
    the variables after it."""
    found = []
    with graph.tf.Session() as session:
        for place in places:
            fetches, rng = graph.fetches[place], np.random.RandomState(place)
            session.run(graph.tf.global_variables_initializer())
            own: List[Any] = []
            for _ in range(2):
                feed = {graph.feed: rng.uniform(-1, 1), graph.flag: bool(rng.randint(2))}
                own += [one for one in session.run(fetches, feed) if one is not None]
                own += session.run(graph.variables)
            found.append(own)
    return found


def variables_of(op: Any) -> List[Any]:
    """Returns the variables that an op of TensorFlow takes, through the switches of branches."""
    found = []
    for x in op.inputs:
        if x.dtype == tensorflow.resource:
            own = x.op
            while own.type != "VarHandleOp":
                own = own.inputs[0].op
            found.append(own)
    return found


def is_ordered(fetches: List[Any]) -> bool:
    """Returns true if TensorFlow's graph orders what these fetches read and write, as A5 does."""
    before: Dict[Any, Set[Any]] = {}

    def visit(op: Any) -> Set[Any]:
        if op not in before:
            parts = [visit(one) | {one} for one in [*(x.op for x in op.inputs), *op.control_inputs]]
            # The result of a branch waits for nothing that the other one needs.
            whole = set.intersection if op.type == "Merge" else set.union
            before[op] = whole(*parts) if parts else set()
        return before[op]

    for fetch in fetches:
        visit(fetch if isinstance(fetch, tensorflow.Operation) else fetch.op)
    accesses: Dict[Any, List[Any]] = {}
    for op in before:
        if op.type not in ("Switch", "VarHandleOp"):
            for variable in set(variables_of(op)):
                accesses.setdefault(variable, []).append(op)
    for ops in accesses.values():
        writes = [op for op in ops if op.type != "ReadVariableOp"]
        # Optimizers take the values at the start of the run (A5), theirs the last ones.
        if len(writes) > 1 and any(op.type.startswith("ResourceApply") for op in writes):
            return False
    return all(a in before[b] or b in before[a] for ops in accesses.values() for a in ops for b in ops
               if a is not b and not a.type == b.type == "ReadVariableOp")  # fmt: skip


def check(seed: int) -> Tuple[int, List[str]]:
    """Returns how many sets of fetches TensorFlow orders, and in what they differ."""
    theirs = Builder(tensorflow, seed)
    places = [k for k, fetches in enumerate(theirs.fetches) if is_ordered(fetches)]
    if not places:
        return 0, []
    wanted = run(theirs, places)
    ours = Builder(flywheel.v1, seed)
    wrong = []
    for k, own, other in zip(places, run(ours, places), wanted):
        if len(own) != len(other) or not all(np.allclose(a, b, 1e-9, 1e-9) for a, b in zip(own, other)):
            wrong.append(f"program {seed}, fetches {k} {theirs.fetches[k]}: {own}, TensorFlow {other}")
    return len(places), wrong


def main() -> None:
    tensorflow.disable_eager_execution()
    tensorflow.disable_control_flow_v2()
    tensorflow.logging.set_verbosity(tensorflow.logging.FATAL)
    warnings.simplefilter("ignore")
    chosen = list(map(int, sys.argv[1:]))
    seeds = chosen or choose("orders beside TensorFlow", range(PROGRAMS), 0.1)
    count, errors = 0, []
    for seed in seeds:
        found, wrong = check(seed)
        count += found
        print("\n".join(wrong), end="\n" if wrong else "", flush=True)
        errors += wrong
    assert chosen or count > len(seeds), f"only {count} sets of fetches have an order"
    assert not errors, f"{len(errors)} differ"


if __name__ == "__main__":
    main()
