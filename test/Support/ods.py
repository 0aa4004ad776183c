# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TableGen's records of the ops of our dialects, and random operations made from them.

An operation is written in the generic form, so that no assembly format keeps odd ones from the verifier. The kinds of
its operands, results and attributes are those of ODS; now and then one is of another kind.
"""

import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any, Dict, List, Set, Tuple

from harness import ROOT, Rng

FILES = ("NN/NN.td", "Train/Train.td", "LinalgExt/LinalgExt.td")
FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i32", "i64", "i1", "i8", "i16")
ODD_ELEMENTS = ("index", "!train.string", "f8E4M3FN", "complex<f32>", "i4", "ui8")
ODD_TYPES = ("index", "tensor<*xf32>", "memref<2xf32>", "vector<2xf32>", "none", "f32", "tuple<>")
ODD_INTEGERS = (0, 1, 2, -1, 3, 7, 1 << 31, -(1 << 31), (1 << 62), (1 << 63) - 1, -(1 << 63))
ODD_FLOATS = ("0.0", "1.0", "0.5", "-1.0", "-0.0", "1.0e-300", "1.0e300", "0x7FF0000000000000", "0x7FF8000000000000",
              "0xFFF0000000000000", "2.5", "1.0e-7")  # fmt: skip
MNEMONIC_OF_DIALECT = {"NN_Dialect": "nn", "Train_Dialect": "train", "LinalgExt_Dialect": "linalg_ext"}


@dataclass
class Part:
    """An operand, a result or an attribute."""

    name: str
    # `ranked tensor of floating-point values`.
    summary: str
    # The names of the classes that it is of.
    kinds: List[str]
    is_attribute: bool
    cases: List[str] = field(default_factory=list)
    storage: str = ""
    mnemonic: str = ""
    # The attributes that implement its interface.
    members: List[str] = field(default_factory=list)

    @property
    def is_optional(self) -> bool:
        return any(kind in self.kinds for kind in ("Optional", "OptionalAttr", "DefaultValuedAttr", "UnitAttr"))

    @property
    def is_variadic(self) -> bool:
        return "Variadic" in self.kinds


@dataclass
class Op:
    """An op of ODS."""

    name: str
    operands: List[Part]
    attributes: List[Part]
    results: List[Part]
    regions: int
    traits: Set[str]
    # Operands and results of one type.
    alike: Set[str]


class Records:
    """The records of a file of TableGen."""

    def __init__(self, path: str):
        tool = shutil.which("llvm-tblgen")
        if tool is None:
            raise FileNotFoundError("llvm-tblgen is not in PATH")
        upstream = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(tool))), "include")
        own = os.path.join(ROOT, "include")
        command = [tool, "--dump-json", "-I", own, "-I", upstream, os.path.join(own, "flywheel", "Dialect", path)]
        self.records = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def ops(self) -> List[Op]:
        return [
            self.op(record) for record in (self.records[name] for name in self.records["!instanceof"]["Op"])
            if record["opDialect"]["def"] in MNEMONIC_OF_DIALECT
        ]  # fmt: skip

    def op(self, record: Any) -> Op:
        parts = [self.part(*one) for one in record["arguments"]["args"]]
        traits = [self.records[one["def"]] for one in record["traits"] if one["def"] in self.records]
        names = {one.get("trait") or "" for one in traits}
        alike = {name for one in traits if "AllTypesMatch" in one["!superclasses"] for name in one.get("values", [])}
        if names & {"SameOperandsAndResultType", "SameTypeOperands"}:
            alike |= {name for _, name in record["arguments"]["args"]}
        if "SameOperandsAndResultType" in names:
            alike |= {name for _, name in record["results"]["args"]}
        return Op(
            f"{MNEMONIC_OF_DIALECT[record['opDialect']['def']]}.{record['opName']}",
            [part for part in parts if not part.is_attribute], [part for part in parts if part.is_attribute],
            [self.part(*one) for one in record["results"]["args"]], len(record["regions"]["args"]),
            names, alike)  # fmt: skip

    def part(self, reference: Any, name: str) -> Part:
        record = self.records[reference["def"]]
        if "constraint" in record:  # Arg<...>: with effects.
            record = self.records[record["constraint"]["def"]]
        kinds = [*record["!superclasses"], record["!name"]]
        base, summary = record, record.get("summary", "")
        for key in ("baseAttr", "baseType"):
            while base.get(key) and base[key]["def"] in self.records:
                base = self.records[base[key]["def"]]
        cases = [self.records[one["def"]]["str"] for one in base.get("enumerants", [])]
        records = [one for one in self.records.values() if isinstance(one, dict)]
        holder = next((one for one in records if (one.get("enum") or {}).get("def") == base["!name"]
                       and one.get("mnemonic")), base)  # fmt: skip
        interface = re.sub(r"AttrInterface$", "", base["!name"])
        members = [one["attrName"] for one in records if one.get("attrName")
                   and any(kind.endswith(("_" + interface, f"_{interface}Attr")) for kind in one["!superclasses"])]
        storage = (record.get("storageType") or "").strip()
        return Part(name, summary, kinds, "Attr" in record["!superclasses"] or "AttrConstraint" in kinds,
                    cases, storage, holder.get("attrName") or holder.get("mnemonic") or "", members)  # fmt: skip


def load_ops() -> List[Op]:
    """All ops of our dialects."""
    return [op for path in FILES for op in Records(path).ops()]


def find_attributes(text: str) -> Set[str]:
    """The attributes of our dialects in a text."""
    found = set()
    for match in re.finditer(r"#(?:train|nn|linalg_ext|codegen)[.<]", text):
        end, depth = match.end() - (text[match.end() - 1] == "<"), 0
        while end < len(text):
            if text[end] == "<":
                depth += 1
            elif text[end] == ">" and text[end - 1] != "-":
                depth -= 1
            elif depth == 0 and not re.match(r"[\w.]", text[end]):
                break
            end += 1
            if depth == 0 and text[end - 1] == ">":
                break
        if depth == 0 and end - match.start() < 300:
            found.add(text[match.start() : end])
    return found


class Writer:
    """Writes modules of random operations."""

    def __init__(self, rng: Rng, ops: List[Op], attributes: List[str]):
        # Draws as quickly as texts are written.
        self.rng = random.Random(int(rng.integers(1 << 62)))
        self.ops, self.attributes = ops, attributes
        self.by_mnemonic: Dict[str, List[str]] = {}
        for text in attributes:
            self.by_mnemonic.setdefault(re.split(r"[<]", text[1:], maxsplit=1)[0], []).append(text)
        self.values: List[Tuple[str, str]] = []
        self.feeds: List[Tuple[str, str]] = []
        self.size = rng.choice([1, 2, 3, 4])

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def shape(self, rank: int, is_static: bool) -> List[str]:
        """Mostly of one size, so that ops agree with it."""
        sizes = ["?" if not is_static and self.chance(0.15) else str(self.size) for _ in range(rank)]
        return [str(self.rng.choice([0, 1, 2, 3, 5])) if self.chance(0.06) else size for size in sizes]

    def element(self, summary: str) -> str:
        found = self.elements.get(summary)
        if found is None or self.chance(0.05):
            found = self.elements[summary] = self.new_element(summary)
        return found

    def new_element(self, summary: str) -> str:
        if self.chance(0.02):
            return self.rng.choice([*FLOATS, *INTEGERS, *ODD_ELEMENTS])
        found: List[str] = []
        exact = re.findall(r"(\d+)-bit (signless integer|float)", summary)
        found += [f"{'i' if 'integer' in kind else 'f'}{bits}" for bits, kind in exact]
        if "floating-point" in summary:
            found += FLOATS[:1] * 6 + FLOATS
        if not exact and "signless integer" in summary:
            found += INTEGERS
        if "any type" in summary:
            found += ["f32"] * 6 + [*FLOATS, *INTEGERS]
        if "string" in summary:
            found.append("!train.string")
        return self.rng.choice(found or ["f32"])

    def type(self, part: Part) -> str:
        summary = part.summary
        if summary.startswith(("index", "variadic of index")):
            return "index"
        if re.match(r"(variadic of )?(\d+-bit|any type)", summary) and "tensor" not in summary:
            return self.element(summary)
        if self.chance(0.01):
            return self.rng.choice(ODD_TYPES)
        rank = 0 if "0D" in summary else int(self.rng.choice([0, 1, 2, 2, 2, 3, 4, 4, self.rank, self.rank, self.rank]))
        shape = self.shape(rank, "static" in summary)
        if "0D" not in summary and "static" not in summary and self.chance(0.5):
            shape = self.main
        container = "memref" if "memref" in summary and self.chance(0.3) else "tensor"
        return f"{container}<{'x'.join([*shape, self.element(summary)])}>"

    def value(self, wanted: str) -> str:
        """Returns an existing value, or a feed."""
        same = [name for name, kind in self.values if kind == wanted]
        if same and self.chance(0.7):
            return self.rng.choice(same)
        name = f"%a{len(self.feeds)}"
        self.feeds.append((name, wanted))
        self.values.append((name, wanted))
        return name

    def attribute(self, part: Part) -> str:
        rng = self.rng
        if self.chance(0.02):
            return rng.choice(["unit", "\"\"", "1 : i1", "[]", "{}", "dense<1.0> : tensor<2xf32>", "@v0", "i32",
                                "array<i64>", "affine_map<(d0) -> (d0)>", *self.attributes[:1]])  # fmt: skip
        if part.mnemonic and part.cases:
            dialect = "nn" if "::nn::" in part.storage else "train" if "::train::" in part.storage else "linalg_ext"
            own = [text for text in self.attributes if text.startswith(f"#{dialect}<{part.mnemonic} ")]
            return rng.choice(own) if own else f"#{dialect}<{part.mnemonic} {rng.choice(part.cases)}>"
        if part.cases:
            return f"{len(part.cases) if self.chance(0.03) else rng.randrange(len(part.cases))} : i32"
        if part.members or part.mnemonic:
            own = [text for name in part.members or [part.mnemonic] for text in self.by_mnemonic.get(name, [])]
            return rng.choice(own or self.attributes)
        if part.storage.startswith("::flywheel"):
            return rng.choice(self.attributes)
        if "UnitAttr" in part.storage:
            return "unit"
        if "BoolAttr" in part.storage:
            return rng.choice(["true", "false"])
        if "FloatAttr" in part.storage:
            return f"{rng.choice(ODD_FLOATS)} : f64"
        if "IntegerAttr" in part.storage:
            return f"{int(rng.choice(ODD_INTEGERS)) if self.chance(0.3) else rng.randrange(4)} : i64"
        if "DenseI64ArrayAttr" in part.storage:
            few = [int(rng.choice(ODD_INTEGERS)) if self.chance(0.03) else rng.randrange(self.rank)
                   for _ in range(rng.randrange(4))]  # fmt: skip
            few = sorted(set(few)) if self.chance(0.6) else few
            return f"array<i64: {', '.join(map(str, few))}>" if few else "array<i64>"
        if "SymbolRef" in part.storage:
            return rng.choice(["@v0", "@v1", "@v2", "@f", "@nothing"])
        if "TypeAttr" in part.storage:
            return f"tensor<{'x'.join([*self.shape(2, True), 'f32'])}>"
        if "ArrayAttr" in part.storage:
            return rng.choice(["[]", "[@v0]", "[@v0, @v1]", "[\"a\"]", "[1]", "[\"a\", \"a\"]", "[[@v0]]"])
        if "StringAttr" in part.storage:
            return rng.choice(["\"a\"", "\"\"", "\"v0\"", "\"a b\"", "\"\\00\"", "\"\\22\""])
        return rng.choice(["unit", "1 : i64", "\"a\"", "true", "1.0 : f64"])

    def operation(self, op: Op, indent: str = "  ", depth: int = 0) -> str:
        rng = self.rng
        self.rank = int(rng.choice([1, 2, 2, 3, 4]))
        # Most ops want one type of element, many one type.
        self.elements: Dict[str, str] = {}
        self.main = [str(self.size if self.chance(0.8) else "?") for _ in range(self.rank)]
        operands: List[str] = []
        types: List[str] = []
        segments: List[int] = []
        shared = ""
        for part in op.operands:
            count = 1
            if part.is_variadic:
                count = int(rng.choice([0, 1, 1, 2, 3]))
            elif part.is_optional:
                count = int(rng.random() < 0.5)
            segments.append(count)
            kind = self.type(part)
            if part.name in op.alike:
                shared = kind = shared or kind
            for _ in range(count):
                kind = kind if part.name in op.alike or self.chance(0.7) else self.type(part)
                operands.append(self.value(kind))
                types.append(kind)
        if operands and self.chance(0.02):
            operands.pop()
            types.pop()
        results = []
        for part in op.results:
            count = 1
            if part.is_variadic or part.is_optional:
                count = rng.choice([0, 1, 1, 2] if part.is_variadic else [0, 1])
            same = [kind for kind in types if "tensor" in kind]
            for _ in range(count):
                if part.name in op.alike and shared:
                    results.append(shared)
                    continue
                results.append(rng.choice(same) if same and self.chance(0.5) else self.type(part))
        properties = [f"{part.name} = {self.attribute(part)}" for part in op.attributes
                      if self.chance(0.35 if part.is_optional else 0.98)]  # fmt: skip
        if "AttrSizedOperandSegments" in op.traits and self.chance(0.98):
            properties.append(f"operandSegmentSizes = array<i32: {', '.join(map(str, segments))}>")
        names = [f"%r{len(self.values) + i}" for i in range(len(results))]
        text = indent + (", ".join(names) + " = " if names else "") + f"\"{op.name}\"({', '.join(operands)})"
        if properties:
            text += f" <{{{', '.join(properties)}}}>"
        if op.regions:
            text += " (" + ", ".join(self.region(types, indent, depth) for _ in range(op.regions)) + ")"
        self.values += zip(names, results)
        return text + f" : ({', '.join(types)}) -> ({', '.join(results)})"

    def region(self, types: List[str], indent: str, depth: int) -> str:
        if self.chance(0.1):
            return "{}"
        start = len(self.values)
        block = list(types) if self.chance(0.6) else []
        names = [f"%b{start + i}" for i in range(len(block))]
        self.values += zip(names, block)
        header = f"{indent}^bb0({', '.join(f'{name}: {kind}' for name, kind in zip(names, block))}):\n"
        body = ""
        if depth < 2 and self.chance(0.6):
            body = self.operation(self.rng.choice(self.ops), indent + "  ", depth + 1) + "\n"
        floats = [one for one in self.values if "tensor" in one[1]]
        yielded = [self.rng.choice(floats) for _ in range(self.rng.randrange(3))] if floats else []
        end = (f"{indent}  \"train.yield\"({', '.join(name for name, _ in yielded)}) : "
               f"({', '.join(kind for _, kind in yielded)}) -> ()\n")  # fmt: skip
        # Values of a region are not visible after it.
        self.values = self.values[:start] + [one for one in self.values[start:] if one[0].startswith("%a")]
        return "{\n" + header + body + (end if self.chance(0.95) else "") + indent + "}"

    def module(self) -> str:
        """A function of one operation or a few, whose results it returns, and some variables."""
        text, rng = "", self.rng
        size = self.size
        for i, kind in enumerate((f"tensor<{size}x{size}xf32>", f"tensor<{size}xf32>", "tensor<f32>")):
            text += f"train.variable @v{i} : {kind} = #train.zeros\n"
        usual = [op for op in self.ops if not any("HasParent" in one or one == "IsTerminator" for one in op.traits)]
        body = [self.operation(rng.choice(usual if self.chance(0.95) and usual else self.ops))
                for _ in range(rng.choice([1, 1, 2, 3]))]  # fmt: skip
        results = [one for one in self.values if one[0].startswith("%r") and re.search(r"[<x](f|bf)\d+>", one[1])]
        inputs = [one for one in self.feeds if re.match(r"tensor<.*?(f|bf)\d+>", one[1])]
        if results and inputs and self.chance(0.5):
            (y, of), (x, wrt) = rng.choice(results), rng.choice(inputs)
            name = f"%r{len(self.values)}"
            body.append(f"  {name} = train.gradient {y} wrt {x} unconnected zeros : ({of}, {wrt}) -> {wrt}")
            self.values.append((name, wrt))
        returned = [one for one in self.values if one[0].startswith("%r") and self.chance(0.9)]
        feeds = ", ".join(f"{name}: {kind}" for name, kind in self.feeds)
        kinds = ", ".join(kind for _, kind in returned)
        private = "private " if any("tensor" not in kind for _, kind in self.feeds) else ""
        return (f"{text}func.func {private}@f({feeds}) -> ({kinds}) {{\n" + "\n".join(body) +
                f"\n  return{' ' if returned else ''}{', '.join(name for name, _ in returned)}"
                f"{' : ' if returned else ''}{kinds}\n}}\n")  # fmt: skip
