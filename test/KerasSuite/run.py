#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of Keras 2.1.6 with `flywheel.keras` in place of Keras (X31).

    PYTHONPATH=build/python python3 test/KerasSuite/run.py [--source FOLDER] [FILE...]

Needs pytest, six, h5py, pyyaml, pandas, pillow and scipy. Without `--source` the source package is downloaded from
PyPI. Each file runs in a process of its own. `reasons.txt` lists the tests that do not pass, each with its reason; the
exit status is 1 if another one fails, or if one of these passes.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, List, Set, Tuple

HERE = Path(__file__).resolve().parent
PACKAGE = "keras==2.1.6"
SHA256 = "c14af1081242c25617ade7eb62121d58d01f16e1e744bae9fc4f1f95a417716e"
# Files that are not tests of the package's functions: of its documentation, of data sets from the network.
LEFT_OUT = ("test_documentation.py", "integration_tests/test_datasets.py", "keras/utils/multi_gpu_test.py",
            "keras/layers/cudnn_recurrent_test.py", "keras/applications/applications_test.py")  # fmt: skip


def download(folder: Path) -> Path:
    """Returns the folder of the source package. Raises RuntimeError if the package is not the one of `SHA256`."""
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:",
                    "--no-build-isolation", "-d", str(folder), PACKAGE], check=True)  # fmt: skip
    (archive,) = folder.glob("*.tar.gz")
    found_sum = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found_sum != SHA256:
        raise RuntimeError(f"{archive.name} has the SHA-256 sum {found_sum}, expected {SHA256}")
    with tarfile.open(archive) as tar:
        # Python 3.11.2 of Debian 12 has no filters; the archive has the sum that was expected.
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
    (found,) = (path for path in folder.iterdir() if path.is_dir())
    return found


def read_reasons() -> Dict[str, str]:
    """Returns the reasons of tests, or of whole files, that do not pass."""
    lines = (line.partition("  ") for line in (HERE / "reasons.txt").read_text().splitlines())
    return {name: reason.strip() for name, _, reason in lines if name and not name.startswith("#")}


def run(source: Path, file: str, seconds: int) -> List[Tuple[str, str]]:
    """Returns the names of the tests of a file, and an error of each, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # The tests run in a folder of their own.
        given = [os.path.abspath(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
        path = os.pathsep.join([str(HERE / "aliases"), *given])
        env = {**os.environ, "PYTHONPATH": path, "KERAS_SUITE_SOURCE": str(source)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "without_theano",
                   f"--junit-xml={report}", file]  # fmt: skip
        try:
            subprocess.run(command, cwd=source / "tests", env=env, timeout=seconds, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        except subprocess.TimeoutExpired:
            return [(file, f"took more than {seconds} s")]
        if not report.exists():
            return [(file, "ended without a report")]
        found = []
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            errors = [one for one in case if one.tag in ("failure", "error")]
            skipped = any(one.tag == "skipped" for one in case)
            name = file if not case.get("classname") else f"{file}::{case.get('name')}"
            if not skipped:
                found.append((name, (errors[0].get("message") or "error").splitlines()[0] if errors else ""))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="test files, from the folder of tests on; by default all")
    parser.add_argument("--source", type=Path, help="the folder of the source package")
    parser.add_argument("--seconds", type=int, default=1200, help="for each file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = (arguments.source or download(Path(folder))).resolve()
        tests = source / "tests"
        files = arguments.files or sorted(
            str(path.relative_to(tests)) for pattern in ("test_*.py", "*_test.py") for path in tests.rglob(pattern))
        reasons = read_reasons()
        passed = listed = 0
        wrong: List[str] = []
        used: Set[str] = set()
        for file in files:
            if file in LEFT_OUT:
                continue
            found = run(source, file, arguments.seconds)
            if not found:
                wrong.append(f"{file} has no tests that run")
            used.update(key for key in (file, *(name for name, _ in found)) if key in reasons)
            if found and file in reasons and not any(error for _, error in found):
                wrong.append(f"{file} passes, and is listed: {reasons[file]}")
            for name, error in found:
                reason = reasons.get(name, reasons.get(file))
                if not error:
                    passed += 1
                    if name in reasons:
                        wrong.append(f"{name} passes, and is listed: {reason}")
                elif reason is not None:
                    listed += 1
                else:
                    wrong.append(f"{name}: {error}")
        if not arguments.files:
            wrong += [f"{name} is listed, and is not among the tests" for name in reasons if name not in used]
        print("\n".join(wrong))
        print(f"{passed} passed, {listed} listed in reasons.txt, {len(wrong)} wrong")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
