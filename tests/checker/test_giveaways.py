"""What the source alone gives away: where a mode is not handed on, where gradients are left."""

from __future__ import annotations

import ast
import textwrap

import pytest
from attn_kata.checker.diagnose.giveaways import mode_line, recast_line

MODES = {
    "the mode reaches no part": (3, """\
        class A(nn.Module):
            # A module.
            def train(self, mode=True):
                self.training = mode
                return self
    """),
    "it is handed on": (None, """\
        class A(nn.Module):
            def train(self, mode=True):
                return super().train(mode)
    """),
    "by hand": (None, """\
        class A(nn.Module):
            def train(self, mode=True):
                for part in self.children():
                    part.train(mode)
                return self
    """),
    "a function that trains a model": (None, """\
        def train(model, data):
            model.train()
    """),
    "the method is asked for as if it were the mode": (3, """\
        class A(nn.Module):
            def forward(self, x):
                if self.train and self.p:
                    x = F.dropout(x, self.p)
                return x
    """),
    "a helper that takes it that it trains": (6, """\
        def attend(q, k, v, training=True):
            return F.dropout(q @ k.mT, 0.1, training) @ v

        class A(nn.Module):
            def forward(self, x):
                return attend(x, x, x)
    """),
    "a method that is told so by name alone": (3, """\
        class A(nn.Module):
            def forward(self, x):
                return self.attend(x)

            def attend(self, x, *, is_training=True):
                return F.dropout(x, 0.1, is_training)
    """),
    "a helper that is told": (None, """\
        def attend(q, k, v, training=True):
            return F.dropout(q @ k.mT, 0.1, training) @ v

        class A(nn.Module):
            def forward(self, x):
                return attend(x, x, x, self.training) + attend(x, x, x, training=self.training)
    """),
    "the mode itself": (None, """\
        class A(nn.Module):
            def forward(self, x):
                return F.dropout(x, self.p) if self.training else x
    """),
}  # fmt: skip
RECASTS = {
    "the parameter itself": ("scale", 3, """\
        class A(nn.Module):
            def forward(self, x):
                factor = math.exp(self.scale)
                return x * factor
    """),
    "a sum of products": ("first", 3, """\
        class A(nn.Module):
            def forward(self, x):
                factor = float(self.a @ self.b)
                return x * factor
    """),
    "what is no tensor's number": ("scale", None, """\
        class A(nn.Module):
            def forward(self, x):
                return x / math.sqrt(x.shape[-1])
    """),
}  # fmt: skip


@pytest.mark.parametrize(("line", "source"), MODES.values(), ids=MODES)
def test_a_mode_that_does_not_arrive(line: int | None, source: str) -> None:
    """It is shown where `train` is written, or asked for; what hands it on is not shown."""
    assert mode_line(ast.parse(textwrap.dedent(source))) == line


@pytest.mark.parametrize(("name", "line", "source"), RECASTS.values(), ids=RECASTS)
def test_what_leaves_torch(name: str, line: int | None, source: str) -> None:
    """A number that Python makes of a tensor has no gradient; a size never had one."""
    assert recast_line(ast.parse(textwrap.dedent(source)), name) == line
