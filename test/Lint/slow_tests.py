# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t
"""The list of slow tests names tests that exist, the slowest first; scripts/check-fast leaves out these alone."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
lines = [line.split(" ") for line in (ROOT / "test/slow_tests.txt").read_text(encoding="utf-8").splitlines()]
assert len(lines) > 20, len(lines)
seconds = [float(line[0]) for line in lines]
assert seconds == sorted(seconds, reverse=True), "expected the slowest first"
for _, path in lines:
    assert (ROOT / "test" / path).is_file(), f"test/slow_tests.txt: there is no {path}: scripts/record-slow-tests"
assert len({path for _, path in lines}) == len(lines)

# The pattern that check-fast makes of the list matches these tests alone.
text = (ROOT / "scripts/check-fast").read_text(encoding="utf-8")
(command,) = re.findall(r"slow=\$\((.*)\)", text)
slow = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
pattern = re.compile(f":: ({slow})$")
every = [path for path in (ROOT / "test").rglob("*") if path.suffix in (".py", ".mlir", ".test")]
names = {str(path.relative_to(ROOT / "test")) for path in every}
found = {name for name in names if pattern.search(f"Flywheel :: {name}")}
assert found == {path for _, path in lines}, found ^ {path for _, path in lines}

# The script that writes the list: tests that were skipped keep their lines, those that are gone lose them, and of the
# others the slowest are listed until the rest takes the given time together.
folder = Path(sys.argv[1])
(folder / "lit.xml").write_text(
    '<testsuites><testsuite><testcase classname="Flywheel.Lint" name="words.test" time="7.4"/>'
    '<testcase classname="Flywheel.Lint" name="cxx.test" time="0"><skipped/></testcase>'
    '<testcase classname="Flywheel.Lint" name="links.test" time="2"/>'
    '<testcase classname="Flywheel.Lint" name="tidy.test" time="3"/>'
    '<testcase classname="Flywheel.Lint" name="gone.test" time="9"/></testsuite></testsuites>',
    encoding="utf-8")  # fmt: skip
(folder / "scripts").mkdir()
(folder / "test/Lint").mkdir(parents=True)
for name in ("words", "cxx", "links", "tidy"):
    (folder / f"test/Lint/{name}.test").write_text("")
(folder / "test/slow_tests.txt").write_text("30 Lint/cxx.test\n20 Lint/away.test\n4 Lint/links.test\n")
(folder / "scripts/record-slow-tests").write_text((ROOT / "scripts/record-slow-tests").read_text(encoding="utf-8"))
command = [sys.executable, folder / "scripts/record-slow-tests", folder / "lit.xml"]
for limit, listed in (("12.3", "words"), ("5", "words"), ("4.9", "words tidy"), ("0", "words tidy links")):
    run = subprocess.run([*command, "--seconds", limit], capture_output=True, text=True, check=True)
    expected = {"words": "7 Lint/words.test", "tidy": "3 Lint/tidy.test", "links": "2 Lint/links.test"}
    found_lines = (folder / "test/slow_tests.txt").read_text().splitlines()
    assert found_lines == ["30 Lint/cxx.test", *(expected[name] for name in listed.split())], (limit, run.stderr)
run = subprocess.run([*command, "--seconds", "12.4"], capture_output=True, text=True, check=True)
assert (folder / "test/slow_tests.txt").read_text() == "30 Lint/cxx.test\n", run.stderr
