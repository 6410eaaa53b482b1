from __future__ import annotations

import torch
from torch import Tensor


class _Scores:
    """Fluent little wrapper: Scores(q, k).where(mask).where(causal).weights() @ v"""

    def __init__(self, query: Tensor, key: Tensor) -> None:
        self.raw = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
        self.keep: Tensor | None = None

    def where(self, keep: Tensor | None) -> "_Scores":
        if keep is not None:
            keep = keep if keep.dtype == torch.bool else keep.ne(0)
            self.keep = keep if self.keep is None else self.keep & keep
        return self

    def weights(self) -> Tensor:
        raw = self.raw
        if self.keep is not None:
            raw = raw.masked_fill(self.keep.logical_not(), float("-inf"))
        log_z = raw.logsumexp(dim=-1, keepdim=True)
        return (raw - log_z).exp()


def _staircase(rows: int, cols: int, device: torch.device) -> Tensor:
    """The last rows of a cumulated identity: 1 up to and on the diagonal."""
    square = torch.eye(cols, device=device).flip(-1).cumsum(dim=-1).flip(-1)
    return square[cols - rows :].bool()


def attention(query, key, value, mask=None, causal=False):
    assert query.dim() == key.dim() == value.dim() == 4
    n, s = query.size(-2), key.size(-2)
    stairs = _staircase(n, s, query.device) if causal else None
    return _Scores(query, key).where(mask).where(stairs).weights().matmul(value)
