from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class BackwardContext:
    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor
    lse: Tensor
    grad_output: Tensor
    block_size: int
    causal: bool

    @property
    def scale(self) -> float:
        return self.query.shape[-1] ** -0.5

    def tiles(self) -> Iterator[slice]:
        length = self.key.shape[2]
        for start in range(0, length, self.block_size):
            yield slice(start, min(start + self.block_size, length))


def recompute_tile(ctx: BackwardContext, tile: slice) -> tuple[Tensor, Tensor]:
    """The tile's weights, from the saved log-sum-exp, and the gradient that reaches them."""
    scores = ctx.query @ ctx.key[:, :, tile].transpose(-1, -2) * ctx.scale
    if ctx.causal:
        rows = torch.arange(scores.shape[-2], device=scores.device).unsqueeze(-1)
        cols = torch.arange(tile.start, tile.stop, device=scores.device)
        scores = scores.masked_fill(cols > rows, float("-inf"))
    probs = torch.exp(scores - ctx.lse.unsqueeze(-1))
    grad_probs = ctx.grad_output @ ctx.value[:, :, tile].transpose(-1, -2)
    return probs, grad_probs


@torch.no_grad()
def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    compute = torch.promote_types(query.dtype, torch.float32)
    saved = (t.to(compute) for t in (query, key, value, output, lse, grad_output))
    ctx = BackwardContext(*saved, block_size, causal)

    delta = torch.zeros_like(ctx.lse).unsqueeze(-1)
    for tile in ctx.tiles():
        probs, grad_probs = recompute_tile(ctx, tile)
        delta = delta + (probs * grad_probs).sum(dim=-1, keepdim=True)

    grad_query = torch.zeros_like(ctx.query)
    grad_key, grad_value = torch.empty_like(ctx.key), torch.empty_like(ctx.value)
    for tile in ctx.tiles():
        probs, grad_probs = recompute_tile(ctx, tile)
        grad_value[:, :, tile] = probs.transpose(-1, -2) @ ctx.grad_output
        grad_scores = probs * (grad_probs - delta) * ctx.scale
        grad_query += grad_scores @ ctx.key[:, :, tile]
        grad_key[:, :, tile] = grad_scores.transpose(-1, -2) @ ctx.query
    return grad_query.to(query.dtype), grad_key.to(key.dtype), grad_value.to(value.dtype)
