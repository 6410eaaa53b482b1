"""The stand-in for torch's compiler gets in the way of nobody who asks for something else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# An optimizer steps without the compiler's import, and who asks for the compiler has it.
WHOLE = """
import torch
weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.AdamW([weight])
weight.sum().backward()
optimizer.step()
optimizer.zero_grad()
assert "torch._dynamo.eval_frame" not in sys.modules
assert torch._dynamo.is_compiling() is False
assert "torch._dynamo.eval_frame" in sys.modules
assert torch._dynamo.config.cache_size_limit
"""
# What is asked, and what answers for the compiler then.
CASES = [
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
    (WHOLE, "module"),
    ("import torch._dynamo.utils", "module"),
]
# Each case in a fork of its own, so that torch is imported but once.
FORKS = """
import json, os, sys, traceback
import torch
from attn_kata.checker.candidate.optimizers import without_compiler
faults = []
for asked, compiler in json.load(sys.stdin):
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            without_compiler()
            exec(asked)
            held = type(sys.modules.get("torch._dynamo")).__name__
            assert compiler in (None, held), held
        except BaseException:
            os.write(writer, traceback.format_exc()[-3000:].encode())
        os._exit(0)
    os.close(writer)
    faults.append(os.fdopen(reader).read())
print(json.dumps(faults))
"""


@pytest.fixture(scope="module")
def faults() -> dict[str, str]:
    """What went wrong with each case, nothing where all is well."""
    done = subprocess.run(
        [sys.executable, "-c", FORKS], input=json.dumps(CASES), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    found = json.loads(done.stdout.splitlines()[-1])
    return {asked: fault for (asked, _), fault in zip(CASES, found, strict=True)}


@pytest.mark.costly
@pytest.mark.parametrize("asked", [asked for asked, _ in CASES])
def test_the_stand_in_answers_for_optimizers_alone(asked: str, faults: dict[str, str]) -> None:
    """Optimizers get by without the compiler; whoever asks for more of it gets the real one."""
    assert faults[asked] == ""
