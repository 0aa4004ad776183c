# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""V5: a byte of a boolean that is neither 0 nor 1 is true, everywhere."""

import numpy as np

from configurations import configurations, expect_equal, run_tests

TEXT = """
train.variable @seen : tensor<7xi1> = #train.zeros
func.func @number(%x: tensor<7xi1>) -> tensor<7xi32> {
  %0 = arith.extui %x : tensor<7xi1> to tensor<7xi32>
  return %0 : tensor<7xi32>
}
func.func @count(%x: tensor<7xi1>) -> tensor<i32> {
  %0 = arith.extui %x : tensor<7xi1> to tensor<7xi32>
  %1 = nn.reduce sum %0 axes [0] : tensor<7xi32> -> tensor<i32>
  return %1 : tensor<i32>
}
func.func @same(%x: tensor<7xi1>) -> tensor<7xi1> {
  return %x : tensor<7xi1>
}
func.func @not(%x: tensor<7xi1>) -> tensor<7xi1> {
  %true = arith.constant dense<true> : tensor<7xi1>
  %0 = arith.xori %x, %true : tensor<7xi1>
  return %0 : tensor<7xi1>
}
func.func @reverse(%x: tensor<7xi1>) -> tensor<3xi1> {
  %0 = tensor.extract_slice %x[1] [3] [2] : tensor<7xi1> to tensor<3xi1>
  return %0 : tensor<3xi1>
}
func.func @select(%x: tensor<7xi1>, %a: tensor<7xf32>, %b: tensor<7xf32>) -> tensor<7xf32> {
  %0 = arith.select %x, %a, %b : tensor<7xi1>, tensor<7xf32>
  return %0 : tensor<7xf32>
}
func.func @branch(%x: tensor<i1>) -> tensor<i32> {
  %c = tensor.extract %x[] : tensor<i1>
  %one = arith.constant dense<1> : tensor<i32>
  %two = arith.constant dense<2> : tensor<i32>
  %0 = scf.if %c -> tensor<i32> {
    scf.yield %one : tensor<i32>
  } else {
    scf.yield %two : tensor<i32>
  }
  return %0 : tensor<i32>
}
func.func @keep(%x: tensor<7xi1>) {
  %0 = train.assign @seen, %x : tensor<7xi1>
  return
}
func.func @seen_number() -> tensor<7xi32> {
  %x = train.read @seen : tensor<7xi1>
  %0 = arith.extui %x : tensor<7xi1> to tensor<7xi32>
  return %0 : tensor<7xi32>
}
"""
BYTES = np.array([0, 1, 2, 255, 128, 0, 3], np.uint8)


def test_bytes() -> None:
    flags, x = BYTES != 0, BYTES.view(np.bool_)
    a, b = np.arange(7, dtype=np.float32), -np.ones(7, np.float32)
    for configuration, model in configurations(TEXT):
        model.initialize()
        expect_equal(configuration, model.run("number", x), flags.astype(np.int32))
        expect_equal(configuration, model.run("count", x), np.array(flags.sum(), np.int32))
        expect_equal(configuration, model.run("same", x).view(np.uint8), flags.astype(np.uint8))
        expect_equal(configuration, model.run("not", x).view(np.uint8), (~flags).astype(np.uint8))
        expect_equal(configuration, model.run("reverse", x).view(np.uint8), flags[1:6:2].astype(np.uint8))
        expect_equal(configuration, model.run("select", x, a, b), np.where(flags, a, b))
        for byte, chosen in ((0, 2), (1, 1), (2, 1), (254, 1)):
            flag = np.array(byte, np.uint8).view(np.bool_)
            expect_equal(configuration, model.run("branch", flag), np.array(chosen, np.int32))
        model.run("keep", x)
        expect_equal(configuration, model["seen"].view(np.uint8), flags.astype(np.uint8))
        model["seen"] = np.zeros(7, np.bool_)
        model["seen"] = x
        expect_equal(configuration, model.run("seen_number"), flags.astype(np.int32))


run_tests([test_bytes])
