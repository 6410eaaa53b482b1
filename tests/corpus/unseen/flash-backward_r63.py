# FlashAttention の逆伝播。クエリもキーもタイルに分ける。
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class Span:
    start: int
    stop: int

    def of(self, t: Tensor) -> Tensor:
        return t.narrow(2, self.start, self.stop - self.start)

    def positions(self, device: torch.device) -> Tensor:
        return torch.arange(self.start, self.stop, device=device)


def spans(length: int, size: int) -> Iterator[Span]:
    start = 0
    while start < length:
        yield Span(start, min(start + size, length))
        start += size


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    length, head_dim = query.shape[2], query.shape[3]
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    root = head_dim ** 0.5
    row_dot = torch.einsum("bhqv,bhqv->bhq", grad_output.to(wide), output.to(wide))
    lse = lse.to(wide)

    grad_query = torch.zeros(query.shape, dtype=wide, device=query.device)
    grad_keys, grad_values = [], []
    for ks in spans(length, block_size):
        k, v = ks.of(key).to(wide), ks.of(value).to(wide)
        dk, dv = torch.zeros_like(k), torch.zeros_like(v)
        for qs in spans(length, block_size):
            if causal and qs.stop <= ks.start:
                continue                       # このタイルは全部未来
            q, do = qs.of(query).to(wide), qs.of(grad_output).to(wide)
            s = torch.einsum("bhqd,bhkd->bhqk", q, k) / root
            if causal and ks.stop - 1 > qs.start:
                future = ks.positions(s.device) > qs.positions(s.device).unsqueeze(1)
                s.masked_fill_(future, float("-inf"))
            p = (s - qs.of(lse).unsqueeze(-1)).exp_()
            dv += torch.einsum("bhqk,bhqv->bhkv", p, do)
            dp = torch.einsum("bhqv,bhkv->bhqk", do, v)
            ds = p * (dp - qs.of(row_dot).unsqueeze(-1)) / root
            qs.of(grad_query).add_(torch.einsum("bhqk,bhkd->bhqd", ds, k))
            dk += torch.einsum("bhqk,bhqd->bhkd", ds, q)
        grad_keys.append(dk)
        grad_values.append(dv)
    return (
        grad_query.to(query.dtype),
        torch.cat(grad_keys, dim=2).to(key.dtype),
        torch.cat(grad_values, dim=2).to(value.dtype),
    )
