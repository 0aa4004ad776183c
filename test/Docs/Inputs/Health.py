# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# docs/Guides/Health.md brings what it needs.
import warnings

import flywheel

# Variables of a step that checks itself are copied.
warnings.filterwarnings("ignore", category=flywheel.CompileRemark)


def check():
    assert "expected finite numbers, found NaN or infinity in 'math.log' at" in str(failure), failure
    assert "Health.md:" in str(failure) or ".py:" in str(failure), failure
