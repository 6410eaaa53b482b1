from __future__ import annotations

import torch
from torch import Tensor


def _parts(x: Tensor, dim: int, keep: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Maximum, exponentials and their sum, in float32 at least; what is hidden has 0."""
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    if keep is not None:
        # a hidden score becomes one that is surely not above the maximum of what is shown
        x = torch.where(keep, x, -torch.inf)
    top = x.detach().amax(dim, keepdim=True)
    top = top.nan_to_num(neginf=0.0)
    exps = torch.exp(x - top)
    return top, exps, exps.sum(dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, exps, total = _parts(x, dim)
    return exps.div(total).to(x.dtype)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top, _, total = _parts(x, dim)
    return torch.add(top, total.log()).squeeze(dim).to(x.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    _, exps, total = _parts(scores, -1, mask != 0)
    empty = total == 0
    return (exps / torch.where(empty, torch.ones_like(total), total)).to(scores.dtype)


if __name__ == "__main__":
    x = torch.randn(2, 3, 4)
    assert torch.allclose(softmax(x, 1).sum(1), torch.ones(2, 4))
    empty = masked_softmax(torch.randn(1, 1, 2, 3), torch.tensor([[1, 1, 0], [0, 0, 0]]))
    print(empty)
