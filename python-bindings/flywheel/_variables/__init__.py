# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of variables: operators, attributes of initial values, origins, managers of checkpoints."""
