from __future__ import annotations

import logging
import warnings
from typing import Any, Mapping

import torch
from torch import Tensor, nn

logger = logging.getLogger("attention.cache")


class CachedSelfAttention(nn.Module):
    """Cache: {"kv": (batch, length, heads, 2 * head_dim)}, keys and values of a position side by side.

    Args:
        hidden_dim: width of the stream.
        num_heads: how many heads.
    """

    KEY = "kv"

    def __init__(self, hidden_dim: int, num_heads: int, **kwargs: Any) -> None:
        super().__init__()
        if kwargs.pop("block_size", None) is not None:
            warnings.warn("block_size is ignored: the cache grows", DeprecationWarning, stacklevel=2)
        if kwargs:
            raise TypeError(f"unknown arguments: {sorted(kwargs)}")
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        if self.head_dim * num_heads != hidden_dim:
            raise ValueError("hidden_dim has to be a multiple of num_heads")
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _past(self, cache: Mapping[str, Tensor] | None, x: Tensor) -> Tensor:
        if cache is None:
            return x.new_empty(x.shape[0], 0, self.num_heads, 2 * self.head_dim)
        past = cache[self.KEY]
        assert past.shape[0] == x.shape[0], "the cache is of another batch"
        return past

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        past = self._past(cache, x)
        offset = past.shape[1]
        logger.debug("%d positions, %d cached", t, offset)
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim)
        kv = torch.cat([past, self.kv_proj(x).view(b, t, self.num_heads, -1)], dim=1)
        k, v = kv.tensor_split([self.head_dim], dim=-1)

        s = torch.einsum("bthd,bshd->bths", q, k) * (1.0 / self.head_dim**0.5)
        now = torch.arange(t, device=x.device) + offset
        ahead = torch.arange(offset + t, device=x.device)[None, :] > now[:, None]          # (t, s)
        s = s.masked_fill(ahead[:, None, :], torch.finfo(s.dtype).min)
        y = torch.einsum("bths,bshd->bthd", torch.softmax(s, dim=-1), v)
        return self.o_proj(y.flatten(-2)), {self.KEY: kv}
