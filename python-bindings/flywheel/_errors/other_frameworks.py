# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of the tensors, modules and optimizers of other frameworks, and what does the same here."""

TENSOR = {
    "view": "reshape", "permute": "transpose(axes)", "unsqueeze": "flywheel.expand_dims(x, axis)",
    "detach": "flywheel.stop_gradient(x)", "item": "the result of a call, which is an array",
    "float": "astype('float32')",
    "double": "astype('float64')", "long": "astype('int64')", "int": "astype('int32')", "to": "astype, for a dtype",
    "type": "astype", "cpu": "the result of a call, which is an array", "numel": "flywheel.prod of its shape, or size",
    "numpy": "the result of a call, which is an array", "backward": "optimizer.minimize(loss), or flywheel.gradients",
    "grad": "flywheel.gradients(loss, x)", "requires_grad_": "flywheel.gradients(loss, x): any tensor has one",
    "requires_grad": "nothing: any tensor has a gradient", "softmax": "flywheel.nn.softmax(x)",
    "log_softmax": "flywheel.nn.log_softmax(x)", "relu": "flywheel.nn.relu(x)", "amax": "max", "amin": "min",
    "expand": "flywheel.broadcast_to(x, shape)", "chunk": "flywheel.split(x, count, axis)",
    "split": "flywheel.split(x, count, axis)", "pow": "x ** y", "mm": "x @ y", "bmm": "x @ y", "matmul": "x @ y",
    "masked_fill": "flywheel.where(mask, value, x)", "gather": "flywheel.take_along_axis(x, indices, axis)",
    "contiguous": "nothing: the compiler chooses layouts", "clone": "nothing: a tensor is a value", "t": "T",
    "clamp": "clip", "unflatten": "reshape", "data": "flywheel.stop_gradient(x)", "get_shape": "shape",
    "block_until_ready": "nothing: a call returns when the step is done", "norm": "flywheel.norm(x, axis)",
    **{name: f"flywheel.{name}(x)" for name in (
        "abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "logsumexp", "maximum", "minimum",
        "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "tan", "tanh")},
}  # fmt: skip
VARIABLE = {
    "requires_grad_": "Variable(..., trainable=False), or freeze() of its module",
    "requires_grad": "trainable",
}
MODULE = {
    "weight": "kernel of layers of products and convolutions, table of Embedding, scale of layers that normalize",
    "train": "an argument of the call, model(x, training=True)", "eval": "an argument of the call, training=False",
    "training": "an argument of the call, model(x, training=True)", "forward": "__call__", "call": "__call__",
    "to": "nothing: a variable has the dtype that it is made with", "cuda": "nothing: flywheel.device, of a function",
    "zero_grad": "nothing: a gradient is a value of one step", "trainable_variables": "parameters()",
    "trainable_weights": "parameters()", "weights": "variables()", "modules": "named_modules().values()",
    "children": "named_modules()", "buffers": "variables()", "requires_grad_": "freeze() and unfreeze()",
    "clone": "copy.deepcopy(model)", "get_weights": "state_dict()", "set_weights": "load_state_dict(state)",
    "save_weights": "save(path)", "load_weights": "load(path)", "summary": "print(model), or flywheel.summary()",
    "fit": "a loop over a step, or flywheel.train.Loop", "compile": "flywheel.function of a step",
    "init": "nothing: variables get their initial values when they are needed",
    "apply": "the module itself: it is called", "register_buffer": "flywheel.Variable(..., trainable=False)",
    "register_parameter": "an attribute that is a flywheel.Variable",
    "add_module": "an attribute, or a list of modules",
    "add_weight": "flywheel.Variable", "param": "flywheel.Variable", "build": "nothing: sizes are arguments of layers",
}  # fmt: skip
OPTIMIZER = {
    "step": "minimize(loss), or apply_gradients", "zero_grad": "nothing: a gradient is a value of one step",
    "update": "apply_gradients([(gradient, variable), ...])", "init": "nothing: slots begin when they are needed",
    "state_dict": "flywheel.save(path), which has slots too", "load_state_dict": "flywheel.restore(path)",
    "learning_rate": "lr", "param_groups": "an optimizer for each group, with minimize(loss, variables)",
    "apply": "apply_gradients([(gradient, variable), ...])", "compute_gradients": "flywheel.gradients(loss, variables)",
}  # fmt: skip
