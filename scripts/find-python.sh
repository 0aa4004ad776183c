# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# find_python VERSION
# Prints the path of an interpreter of the version, such as 3.12: python3.12 of
# PATH, or else the newest one of pyenv. Prints nothing if there is none.
find_python() {
  local found
  # The programs of pyenv on PATH fail for versions that are not chosen.
  if found=$(command -v "python$1") && "$found" -c "" 2> /dev/null; then
    echo "$found"
    return
  fi
  for found in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/"bin/python$1"; do
    [ ! -x "$found" ] || echo "$found"
  done | sort -V | tail -n 1
}
