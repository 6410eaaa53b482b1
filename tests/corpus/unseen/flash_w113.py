from __future__ import annotations

import torch
from torch import Tensor


class RunningSoftmax:
    """Numerator, denominator and maximum of one block of queries."""

    def __init__(self, like: Tensor) -> None:
        self.top = like.new_full(like.shape[:-1], float("-inf"), dtype=torch.promote_types(like.dtype, torch.float32))
        self.total = torch.zeros_like(self.top)
        self.out = torch.zeros_like(like, dtype=self.top.dtype)

    def update(self, scores: Tensor, values: Tensor) -> None:
        top = torch.maximum(self.top, scores.max(dim=-1).values)
        weights = (scores - top.unsqueeze(-1)).exp()
        decay = (self.top - top).exp()
        self.total = self.total * decay + weights.sum(-1)
        self.out = self.out * decay.unsqueeze(-1) + weights @ values
        self.top = top

    def result(self) -> Tensor:
        return self.out / self.total.unsqueeze(-1)


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, head_dim = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    result = torch.empty_like(query)

    for q0 in range(0, length, block_size):
        q1 = min(q0 + block_size, length)
        block = query[:, :, q0:q1].to(wide) / head_dim**0.5
        running = RunningSoftmax(block)
        # keys behind the last query of the block are never needed
        stop = q1 if causal else length
        for k0 in range(0, stop, block_size):
            k1 = min(k0 + block_size, length)
            scores = block @ key[:, :, k0:k1].to(wide).mT
            if causal and k1 == q1:
                i = torch.arange(q1 - q0, device=query.device)
                scores = scores.masked_fill(i[None, :] >= i[:, None], float("-inf"))
            running.update(scores, value[:, :, k0:k1].to(wide))
        result[:, :, q0:q1] = running.result()
    return result
