#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the results of TensorFlow, and of Keras 2 on it, for test/Python/*beside*.py (see recordings.py).

usage: PYTHONPATH=build/python:test/Support PYTHON test/Support/record_tensorflow.py [NAME...]

PYTHON has TensorFlow and tf_keras. NAME is that of a test, such as v1_beside_loops; by default all that have a file are
recorded again. Each test runs as it is, and compares too.
"""

import os
import subprocess
import sys

import recordings

TESTS = recordings.FOLDER.parent.parent


def main() -> int:
    names = sys.argv[1:] or sorted(file.stem for file in recordings.FOLDER.glob("*beside*.json"))
    recordings.FOLDER.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, FLYWHEEL_CACHE="", TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3",
                       FLYWHEEL_RECORD=str(recordings.FOLDER))  # fmt: skip
    failed = [name for name in names
              if subprocess.run([sys.executable, str(TESTS / f"{name}.py")], env=environment, check=False).returncode]
    for name in names:
        file = recordings.FOLDER / f"{name}.json"
        print(f"{name}: {file.stat().st_size} bytes" if file.exists() else f"{name}: nothing")
    if failed:
        print(f"failed: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
