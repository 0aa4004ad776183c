# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the tests of pages on extending the compiler: the blocks of a page, and a compiler with its sources."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent.parent


def run(command: List[str], folder: Path, **variables: str) -> str:
    """The output of a command, which has to succeed."""
    result = subprocess.run(command, cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**os.environ, **variables})
    if result.returncode:
        sys.exit(f"{shlex.join(command)}\n{result.stdout}\nerror: exit status {result.returncode}")
    return result.stdout


def blocks_of(page: str) -> Dict[str, str]:
    """Returns the blocks of the example, by the path that the sentence before each names."""
    example = page[page.index("## The whole of an example"):]
    blocks = {}
    for sentence, block in re.findall(r"\n\n([^\n`]*`[^\n]*):\n\n```\w+\n(.*?)\n```(?=\n)", example, re.DOTALL):
        path = re.findall(r"`([\w./-]+\.\w+)`", sentence)[0]
        blocks[path] = block + "\n"
    return blocks


def generate(tree: Path, generated: Path, dialect: str, prefix: str) -> None:
    """Writes the files of a dialect, by its name and what those of its sources begin with, that CMake has TableGen
    write."""
    folder = f"include/flywheel/Dialect/{dialect}"
    target = generated / "flywheel/Dialect" / dialect
    target.mkdir(parents=True)
    listed = (ROOT / folder / "CMakeLists.txt").read_text(encoding="utf-8")
    for source, output, options in re.findall(rf"flywheel_tablegen\((\S+) ({prefix}\S+) ([^)]*)\)", listed):
        includes = [f"-I{tree / 'include'}", f"-I{llvm_include()}"]
        run(["mlir-tblgen", *options.split(), *includes, str(tree / folder / source), "-o", str(target / output)], tree)


def llvm_include() -> str:
    return subprocess.run(["llvm-config", "--includedir"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


class Compiler:
    """Compiles as BUILD does, with other headers first."""

    def __init__(self, build: Path, tree: Path, generated: Path, library: str) -> None:
        self.library = f"{library}.dir"
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.build = build
        self.sources: Dict[str, List[str]] = {entry["file"]: shlex.split(entry["command"]) for entry in commands}
        self.includes = [f"-I{generated}", f"-I{tree / 'include'}"]

    def find(self, name: str) -> str:
        """The source, of those that are compiled, that is or includes `name`."""
        for source in self.sources:
            if self.library not in " ".join(self.sources[source]):
                continue
            if source.endswith(name) or name in Path(source).read_text(encoding="utf-8"):
                return source
        sys.exit(f"error: {name} is not compiled")

    def command(self, like: str, source: str, output: List[str]) -> List[str]:
        command = self.sources[like]
        at = command.index("-o")
        kept = command[:at] + command[at + 2:]
        kept[kept.index("-c") + 1] = source
        # Not `-MF` and `-MT`, which name files of the build.
        for option in ("-MF", "-MT"):
            if option in kept:
                at = kept.index(option)
                del kept[at:at + 2]
        # The headers of the dialects are those of the tree, not the build's precompiled ones.
        words = (word.replace("/Dialects.pch", "/Precompiled.pch") for word in kept[1:] if word != "-MD")
        return [kept[0], *self.includes, *words, *output]

    def link_package(
        self, tree: Path, library: str, objects: List[str], module: str, replaced: Optional[Dict[str, str]] = None
    ) -> Path:
        """A copy of the Python package, with the module `module` of `tree`, and a compiler in which `objects` come
        before `library`, and others take the place of the objects of the sources `replaced`."""
        commands = run(["ninja", "-t", "commands", "flywheel-python"], self.build).splitlines()
        link = next(line for line in commands if re.search(r"-o python/flywheel/_flywheel\S+\.so", line))
        words = shlex.split(re.sub(r"^: && | && :$", "", link))
        at = words.index("-o") + 1
        package = tree / "python/flywheel"
        shutil.copytree(self.build / "python/flywheel", package, symlinks=False,
                        ignore=shutil.ignore_patterns("_flywheel*.so", "__pycache__"))
        shutil.copy(tree / "python-bindings/flywheel" / module, package / module)
        words[at] = str(package / Path(words[at]).name)
        first = next(i for i, word in enumerate(words) if word.endswith(library))
        words[first:first] = objects
        for source, made in (replaced or {}).items():
            words[next(i for i, word in enumerate(words) if word.endswith(f"{source}.o"))] = made
        run(words, self.build)
        return package.parent
