from __future__ import annotations

import logging
from functools import cached_property

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)


def keeps_shape(method):
    def checked(self, *args, **kwargs):
        x = args[0] if args else kwargs["x"]
        assert x.dim() == 3, f"expected (batch, length, hidden), got {tuple(x.shape)}"
        result = method(self, *args, **kwargs)
        assert result.shape == x.shape, "attention must not change the shape"
        return result

    return checked


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        for role in ("query", "key", "value"):
            self.add_module(f"to_{role}", nn.Linear(hidden_dim, hidden_dim, bias=role != "key"))
        log.debug("single head attention, %d features", hidden_dim)

    @cached_property
    def temperature(self) -> float:
        return self.hidden_dim ** 0.5

    @keeps_shape
    def forward(self, x: Tensor) -> Tensor:
        q = self.to_query(x)  # (B, T, D)
        k = self.to_key(x)
        v = self.to_value(x)
        logits = torch.einsum("btd,bsd->bts", q, k) / self.temperature
        return torch.einsum("bts,bsd->btd", torch.softmax(logits, dim=2), v)
