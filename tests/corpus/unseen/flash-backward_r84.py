from __future__ import annotations

import torch
from torch import Tensor


class KeyTile:
    """A few keys and values, which gather what all tiles of queries send them."""

    def __init__(self, key: Tensor, value: Tensor, first: int) -> None:
        self.key, self.value, self.first = key, value, first
        self.grad_key, self.grad_value = torch.zeros_like(key), torch.zeros_like(value)

    def __len__(self) -> int:
        return self.key.shape[1]

    def receive(self, query, grad_output, lse, delta, first, causal, grad_query) -> None:
        scores = torch.baddbmm(-lse.unsqueeze(-1), query, self.key.transpose(1, 2))
        if causal:
            rows = torch.arange(first, first + query.shape[1], device=query.device)
            columns = torch.arange(self.first, self.first + len(self), device=query.device)
            scores.masked_fill_(columns[None] > rows[:, None], -torch.inf)
        weights = scores.exp_()
        self.grad_value.baddbmm_(weights.transpose(1, 2), grad_output)
        grad_scores = torch.baddbmm(-delta, grad_output, self.value.transpose(1, 2)).mul_(weights)
        self.grad_key.baddbmm_(grad_scores.transpose(1, 2), query)
        grad_query.baddbmm_(grad_scores, self.key)


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
    with torch.no_grad():
        front, dtype = query.shape[:2], query.dtype
        wide = torch.promote_types(dtype, torch.float32)
        scale = query.shape[-1] ** -0.5
        q, k, v, o, m, g = (
            t.flatten(0, 1).to(wide) for t in (query, key, value, output, lse, grad_output)
        )
        q = q * scale
        delta = (g * o).sum(-1, keepdim=True)

        tiles, first = [], 0
        for kt, vt in zip(k.split(block_size, 1), v.split(block_size, 1)):
            tiles.append(KeyTile(kt, vt, first))
            first += kt.shape[1]

        grad_query = torch.zeros_like(q)
        for start in range(0, q.shape[1], block_size):
            rows = slice(start, start + block_size)
            for tile in tiles:
                if causal and tile.first >= start + block_size:
                    continue
                tile.receive(
                    q[:, rows], g[:, rows], m[:, rows], delta[:, rows], start, causal, grad_query[:, rows]
                )

        grads = (
            grad_query * scale,
            torch.cat([t.grad_key for t in tiles], 1),
            torch.cat([t.grad_value for t in tiles], 1),
        )
        return tuple(t.unflatten(0, front).to(dtype) for t in grads)
