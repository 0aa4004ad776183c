# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of attention alone."""


def attention_step(length: str, element: str, head: int = 32, batch: str = "16x8", mask: str = " causal") -> str:
    """Trains three scales of what attention is given; sizes are numbers or '?'."""
    x, scale = f"tensor<{batch}x{length}x{head}x{element}>", f"tensor<{head}x{element}>"
    variables = "".join(f"train.variable @{name} : {scale} = #train.random_normal\n" for name in "qkv")
    scaled = "".join(
        f"  %s{name} = train.read @{name} : {scale}\n"
        f"  %b{name} = nn.broadcast %s{name} dims [{batch.count('x') + 2}] like %x : ({scale}, {x}) -> {x}\n"
        f"  %{name} = arith.mulf %x, %b{name} : {x}\n" for name in "qkv")
    return f"""{variables}
func.func @step(%x: {x}) {{
{scaled}  %y = nn.attention %q, %k, %v{mask} : ({x}, {x}, {x}) -> {x}
  %l = nn.l2_loss %y : {x} -> tensor<{element}>
  train.minimize %l : tensor<{element}> with #train.sgd<lr = 0.01>
  return
}}
"""
