"""The stand-in for torch's compiler gets in the way of nobody who asks for something else."""

from __future__ import annotations

import subprocess
import sys

import pytest

STAND_IN = (
    "from attn_kata.checker.candidate.optimizers import without_compiler; without_compiler(); "
)


@pytest.mark.parametrize(
    ("asked", "compiler"),
    [
        # Walks over all modules and asks each for its file, in the middle of torch's own imports.
        ("import torch; torch.testing.assert_close(torch.ones(2), torch.ones(2))", None),
        (
            "import torch; torch.optim.AdamW([torch.ones(2, requires_grad=True)]).step()",
            "_Compiler",
        ),
        (
            "import torch; torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1).zero_grad()",
            "_Compiler",
        ),
        ("import inspect; inspect.getmodule(inspect.currentframe())", "_Compiler"),
        ("import torch; assert torch._dynamo.config.cache_size_limit", "module"),
        ("import torch._dynamo.utils", "module"),
    ],
)
def test_the_stand_in_answers_for_optimizers_alone(asked: str, compiler: str | None) -> None:
    """Optimizers get by without the compiler; whoever asks for more of it gets the real one."""
    kept = (
        ""
        if compiler is None
        else f"; import sys; assert type(sys.modules['torch._dynamo']).__name__ == '{compiler}'"
    )
    done = subprocess.run(
        [sys.executable, "-c", STAND_IN + asked + kept], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
