from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Iterator, NamedTuple

import torch
from torch import Tensor


class Span(NamedTuple):
    start: int
    stop: int

    def of(self, x: Tensor) -> Tensor:
        return x.narrow(2, self.start, self.stop - self.start)

    def places(self, device: torch.device) -> Tensor:
        return torch.arange(self.start, self.stop, device=device)


def spans(length: int, size: int) -> Iterator[Span]:
    start = 0
    while start < length:
        yield Span(start, min(start + size, length))
        start += size


def tile_weights(q: Tensor, k: Tensor, lse: Tensor, rows: Span, cols: Span, causal: bool) -> Tensor:
    exponent = torch.einsum("bhqd,bhkd->bhqk", q, k).sub(lse.unsqueeze(-1))
    if causal and cols.stop - 1 > rows.start:
        ahead = cols.places(q.device).unsqueeze(0) > rows.places(q.device).unsqueeze(1)
        exponent = exponent.masked_fill(ahead, -math.inf)
    return exponent.exp()


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
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    length, head_dim = query.shape[2], query.shape[3]
    root = math.sqrt(head_dim)
    guard = torch.no_grad() if torch.is_grad_enabled() else nullcontext()

    with guard:
        scaled_query = query.to(working) / root  # the scale of S, and of grad_key too
        big_key, big_value, big_grad = key.to(working), value.to(working), grad_output.to(working)
        big_lse = lse.to(working)
        row_sum = torch.einsum("bhqe,bhqe->bhq", big_grad, output.to(working))

        grad_query = torch.zeros_like(scaled_query)
        grad_key = torch.zeros_like(big_key)
        grad_value = torch.zeros_like(big_value)

        for rows in spans(length, max(block_size, 64)):
            q, do = rows.of(scaled_query), rows.of(big_grad)
            for cols in spans(length, block_size):
                if causal and cols.start >= rows.stop:
                    break  # all of these keys are ahead of all of these queries
                k, v = cols.of(big_key), cols.of(big_value)
                p = tile_weights(q, k, rows.of(big_lse), rows, cols, causal)
                ds = p * (torch.einsum("bhqe,bhke->bhqk", do, v) - rows.of(row_sum).unsqueeze(-1))
                cols.of(grad_value).add_(torch.einsum("bhqk,bhqe->bhke", p, do))
                cols.of(grad_key).add_(torch.einsum("bhqk,bhqd->bhkd", ds, q))
                rows.of(grad_query).add_(torch.einsum("bhqk,bhkd->bhqd", ds, k))
        grad_query /= root

    return grad_query.to(query.dtype), grad_key.to(key.dtype), grad_value.to(value.dtype)
