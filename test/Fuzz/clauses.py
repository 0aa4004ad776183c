# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Clauses of updates, some of them damaged, through parser and printer.

An update has clauses in any order, some twice, some without a value or with one of another kind. Damaged text is
refused, with its place. Other text is accepted, or refused by a rule on the meaning of clauses ("expected ...");
accepted text is printed with every keyword and value of the input, and reads back as the same.
"""

import re
from typing import Any, Dict, List, Tuple

import harness
from harness import Case, Failure, Fuzzer, Outcome, Report, Rng, choose, clean_refusal

# The values that a clause may have, and some that it may not.
Kind = Tuple[List[str], List[str]]
NUMBERS: Kind = (
    ["0.5", "1.0e-3", "-0.5", "0.0", "0x3FE0000000000000", "2.5E+2"],
    ["", "1", "true", "@w", '"0.5"', "[0.5]", "i32", "unit", "#train.adam", "0.5 : f32", "-", "-0x3FE0000000000000",
     "0x3FE00000000000000", "0.5.5", "inf", "nan", "%g", "loc(unknown)", "{a = 0.5}", "dense<0.5> : tensor<f64>"])
COUNTS: Kind = (["1", "4", "0x10"],
                ["", "1.5", "@w", "4 : i32", "99999999999999999999", "true", '"4"', "[4]", "%g"])
LISTS: Kind = (["[@w]", "[@w, @b]", "[@b]"],
               ["", "@w", "[1]", '["w"]', "[@w, 1]", "[@w::@b]", "[@w", "w", "{w}", "[[@w]]"])
CLAUSES: Dict[str, Kind] = {
    "lr": (["#train.constant_rate<rate = 0.5>", "#train.cosine_rate<peak = 0.5, steps = 10>"],
           ["", "0.1", "#train.adam", "@w", "#train.constant_rate", "#train.cosine_rate<peak = 0.5"]),
    "l2": NUMBERS, "weight_decay": NUMBERS, "clip_norm": NUMBERS, "clip_global_norm": NUMBERS, "clip_value": NUMBERS,
    "no_decay": LISTS,
    "loss_scale": (["#train.loss_scale<initial = 8.0>"], ["", "8.0", "#train.adam", "<initial = 8.0>", "[8.0]"]),
    "accumulate": COUNTS,
    "master_weights": ([""], ["true", "1", "unit", "[@w]"]),
    "sparse": (["exact", "lazy"], ["", "both", "1", '"lazy"', "@lazy"]),
    "global_step": (["@step"], ["", "step", "1", "[@step]", '"step"', "@step::@w", "%step"]),
    "var_list": LISTS,
    "unconnected": (["error", "skip"], ["", "zeros", "1", '"skip"']),
}
OPTIMIZERS = ["#train.sgd", "#train.adam<lr = 0.1>", "#train.adamw<weight_decay = 0.0>", "#train.adamw",
              "#train.lion<lr = 0.1>"]


def program(clauses: str, optimizer: str, minimizes: bool) -> str:
    update = (f"train.minimize %loss : tensor<f32> with {optimizer} {clauses}" if minimizes else
              f"train.apply_gradients %g, %h : tensor<2xf32>, tensor<f32> to [@w, @b] with {optimizer} {clauses}")
    return f"""train.variable @w : tensor<2xf32> = #train.ones
train.variable @b : tensor<f32> = #train.ones
train.variable @step : tensor<i64> = dense<0> : tensor<i64> {{trainable = false}}
func.func @f(%g: tensor<2xf32>, %h: tensor<f32>) {{
  %w = train.read @w : tensor<2xf32>
  %b = train.read @b : tensor<f32>
  %s = nn.reduce sum %w axes [0] : tensor<2xf32> -> tensor<f32>
  %loss = arith.mulf %s, %b : tensor<f32>
  {update}
  return
}}
"""


def find_clauses(text: str) -> Dict[str, str]:
    """The clauses of the update in `text`, by keyword."""
    line = next(line for line in text.splitlines() if "train.minimize" in line or "train.apply_gradients" in line)
    # Behind the optimizer, whose parameters have names of clauses.
    rest = line[line.index(" with #train.") + len(" with "):]
    rest = re.sub(r"^#train\.\w+(<[^>]*>)?", "", rest)
    words = sorted(CLAUSES, key=len, reverse=True)
    parts = re.split(rf"(?<![\w.@])({'|'.join(words)})(?!\w)(?=\s|$)", rest)
    assert not parts[0].strip(), text
    names = parts[1::2]
    assert len(set(names)) == len(names), text
    return {name: value.strip() for name, value in zip(names, parts[2::2])}


def expected_value(name: str, value: str) -> Any:
    if CLAUSES[name] is NUMBERS:
        return 0.5 if value.startswith("0x") else float(value)
    if CLAUSES[name] is COUNTS:
        return int(value, 0)
    return re.sub(r"\d+(\.\d+)?([eE][-+]?\d+)?", lambda number: repr(float(number.group())), value)


class Clauses(Fuzzer):
    """Updates with random clauses."""

    name = "clauses"
    seconds = 5.0
    megabytes = 4096
    can_minimize = False

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel

    def make(self, rng: Rng) -> Case:
        minimizes = bool(rng.integers(2))
        names = [name for name in CLAUSES if minimizes or name not in ("var_list", "unconnected")]
        chosen = [choose(rng, names) for _ in range(rng.integers(1, 6))]
        parts, is_whole = [], len(set(chosen)) == len(chosen)
        for name in chosen:
            right, wrong = CLAUSES[name]
            is_wrong = rng.integers(8) == 0
            is_whole = is_whole and not is_wrong
            parts.append(f"{name} {choose(rng, wrong if is_wrong else right)}".strip())
        if rng.integers(12) == 0:
            other = choose(rng, ["clip", "L2", "0.5", "decay 0.5", "momentum", ",", "@w"])
            parts.insert(int(rng.integers(len(parts) + 1)), other)
            is_whole = False
        return Case(program(" ".join(parts), choose(rng, OPTIMIZERS), minimizes), "whole" if is_whole else "damaged")

    def check(self, case: Case, report: Report) -> Outcome:
        report("parse")
        try:
            printed = str(self.flywheel.parse(case.text, name="clauses.mlir"))
        except self.flywheel.CompileError as error:
            message = str(error)
            if case.detail == "whole" and "expected" not in message:
                raise Failure("a refusal that does not say what was expected: " + message) from error
            return clean_refusal(message, case.text)
        if case.detail == "damaged":
            raise Failure("accepted what is damaged, as\n" + printed)
        written, found = find_clauses(case.text), find_clauses(printed)
        for name, value in written.items():
            # A default is not printed.
            if (name, value) == ("sparse", "exact"):
                continue
            if name not in found:
                raise Failure(f"the clause {name} {value} is not printed:\n{printed}")
            if expected_value(name, value) != expected_value(name, found[name]):
                raise Failure(f"the clause {name} {value} is printed as {found[name]}:\n{printed}")
        if set(found) - set(written):
            raise Failure("more clauses are printed than stood there:\n" + printed)
        if str(self.flywheel.parse(printed, name="printed.mlir")) != printed:
            raise Failure("what is printed reads back as something else:\n" + printed)
        return Outcome("passed")


if __name__ == "__main__":
    harness.main(Clauses(), cases=240)
