import dataclasses
from typing import NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclasses.dataclass(frozen=True)
class Hyper:
    m: int  # model width
    a: int  # attention heads

    @property
    def per(self) -> int:
        return self.m // self.a


class Past(NamedTuple):
    k: Tensor  # (batch, heads, length so far, head_dim)
    v: Tensor


def _extend(past: Optional[Past], k: Tensor, v: Tensor) -> Past:
    if past is None:
        return Past(k, v)
    return Past(*(torch.cat(pair, dim=2) for pair in zip(past, (k, v))))


def _attend(q: Tensor, past: Past) -> Tensor:
    n, total = q.shape[2], past.k.shape[2]
    query_at = torch.arange(total - n, total, device=q.device)
    key_at = torch.arange(total, device=q.device)
    bias = torch.zeros(n, total, dtype=q.dtype, device=q.device)
    bias = bias.masked_fill(key_at > query_at[:, None], -torch.inf)
    logits = torch.einsum("bhqd,bhkd->bhqk", q, past.k) / q.shape[-1] ** 0.5 + bias
    return torch.einsum("bhqk,bhkd->bqhd", torch.softmax(logits, -1), past.v)


class CachedSelfAttention(nn.Module):
    def __init__(self, hyper: Hyper):
        super().__init__()
        self.hyper = hyper
        self.params = nn.ParameterDict(
            {
                "qkv": torch.randn(3, hyper.a, hyper.per, hyper.m) * hyper.m**-0.5,
                "out": torch.randn(hyper.m, hyper.m) * hyper.m**-0.5,
            }
        )

    def forward(self, x: Tensor, cache: Optional[Past] = None):
        q, k, v = torch.einsum("btm,iadm->ibatd", x, self.params["qkv"])
        cache = _extend(cache, k, v)
        y = _attend(q, cache).flatten(2)
        return F.linear(y, self.params["out"]), cache
