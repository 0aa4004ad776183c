# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, clang-tidy
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t
"""scripts/tidy checks what a branch changed, headers by a source that includes them, and fails if that is nothing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
folder = Path(sys.argv[1]).resolve()
identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}


def write(path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=True)


def tidy(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(folder / "scripts/tidy"), "-j", "1", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


(folder / "scripts").mkdir()
shutil.copy(ROOT / "scripts/tidy", folder / "scripts/tidy")
write(".clang-tidy", "Checks: '-*,readability-else-after-return'\n")
write("include/flywheel/One.h", "#pragma once\ninline int one() { return 1; }\n")
write("lib/Aaa.cpp", '#include "flywheel/One.h"\nint aaa() { return one(); }\n')
write("lib/One.cpp", '#include "flywheel/One.h"\nint two() { return one() + one(); }\n')
sources = [str(folder / "lib" / name) for name in ("Aaa.cpp", "One.cpp")]
write("build/compile_commands.json", json.dumps(
    [{"directory": str(folder), "file": source, "command": f"c++ -I{folder}/include -c {source}"} for source in sources]
))  # fmt: skip
write(".gitignore", "build\n")
git("init", "-q", "-b", "main")
git("add", ".")
git("commit", "-q", "-m", "first")
write("README.md", "text\n")
git("add", ".")
git("commit", "-q", "-m", "second")

# On main: from the last commit but one, which changed no source.
none = tidy()
assert none.returncode == 1 and "no source or header that is compiled differs from HEAD~1" in none.stderr, none
allowed = tidy("--none")
assert allowed.returncode == 0 and allowed.stdout == "0 sources checked\n", allowed
every = tidy("--all")
assert every.returncode == 0 and every.stdout == "2 sources checked\n", every

# On a branch all of its commits count, though the last one changes no source.
bad = "#pragma once\ninline int one(int x = 1) {\n  if (x)\n    return 1;\n  else\n    return 2;\n}\n"
git("checkout", "-q", "-b", "branch")
write("include/flywheel/One.h", bad)
git("commit", "-q", "-a", "-m", "third")
write("README.md", "more\n")
git("commit", "-q", "-a", "-m", "fourth")
found = tidy()
assert found.returncode == 1 and "lib/One.cpp" in found.stdout and "lib/Aaa.cpp" not in found.stdout, found
assert "readability-else-after-return" in found.stdout, found
assert "1 sources checked, findings in 1 groups" in found.stdout, found

# So do changes that are not committed.
write("include/flywheel/One.h", "#pragma once\ninline int one() { return 1; }\n")
write("lib/Aaa.cpp", '#include "flywheel/One.h"\nint aaa() { return 1 + one(); }\n')
clean = tidy()
assert clean.returncode == 0 and clean.stdout == "1 sources checked\n", clean
