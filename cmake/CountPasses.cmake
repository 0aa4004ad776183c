# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cmake -DINPUT=FILE -DOUTPUT=FILE -P CountPasses.cmake
#
# Writes TableGen's declarations of passes with counts of our own as statistics
# (flywheel/Support/PassCount.h).
file(READ "${INPUT}" text)
string(REPLACE "::mlir::Pass::Statistic " "::flywheel::PassCount " text "${text}")
file(WRITE "${OUTPUT}" "${text}")
