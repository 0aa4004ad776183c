# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DINPUT=<file> -DOUTPUT=<file> -P EmbedText.cmake
# Writes a text as C++ string literals, one a chunk: compilers limit their size.
file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
set(literals "")
set(begin 0)
while(begin LESS length)
  string(SUBSTRING "${text}" ${begin} 8000 chunk)
  string(APPEND literals "R\"embedded(${chunk})embedded\"\n")
  math(EXPR begin "${begin} + 8000")
endwhile()
file(WRITE "${OUTPUT}" "${literals}")
