import math

import torch
from torch import Tensor

NEG = float("-inf")


class OnlineSoftmax:
    """Running maximum, sum and output of one set of queries."""

    def __init__(self, like: Tensor):
        self.m = torch.full_like(like[..., :1], NEG)
        self.s = torch.zeros_like(like[..., :1])
        self.o = torch.zeros_like(like)

    def update(self, scores: Tensor, values: Tensor) -> None:
        m = torch.maximum(self.m, scores.amax(dim=-1, keepdim=True))
        decay = torch.exp(self.m - m)
        p = torch.exp(scores - m)
        self.s = self.s * decay + p.sum(dim=-1, keepdim=True)
        self.o = self.o * decay + torch.matmul(p, values)
        self.m = m

    def result(self) -> Tensor:
        return self.o / self.s


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[2], query.shape[3]
    q = query / math.sqrt(d)
    if block_size >= n:
        # one tile: there is nothing to carry over
        return torch.softmax(q @ key.transpose(2, 3), dim=-1) @ value

    state = OnlineSoftmax(query)
    position = torch.arange(n, device=query.device)
    for start in range(0, n, block_size):
        tile = slice(start, start + block_size)
        s = q @ key[:, :, tile].transpose(2, 3)
        if causal:
            s = s.masked_fill(position[None, tile] > position[:, None], NEG)
        state.update(s, value[:, :, tile])
    return state.result()
