# wrong: flash exps-from-tile-max line 18
from __future__ import annotations

import torch
from torch import Tensor


class OnlineSoftmax:
    def __init__(self, q: Tensor) -> None:
        self.m = torch.full_like(q[..., :1], float("-inf"))
        self.l = torch.zeros_like(q[..., :1])
        self.acc = torch.zeros_like(q)

    def step(self, s: Tensor, v: Tensor) -> None:
        tile_max = s.max(dim=-1, keepdim=True)[0]
        old = self.m
        self.m = torch.max(old, tile_max)
        p = torch.exp(s - tile_max)
        scale = torch.exp(old - self.m)
        self.l = scale * self.l + p.sum(dim=-1, keepdim=True)
        self.acc = scale * self.acc + p.matmul(v)

    def finish(self) -> Tensor:
        return self.acc / self.l


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    length, head_dim = query.shape[-2:]
    out = torch.empty_like(query)
    position = torch.arange(length, device=query.device)

    for rows in position.split(block_size):
        q = query[:, :, rows].to(wide) * head_dim**-0.5
        softmax = OnlineSoftmax(q)
        for cols in position.split(block_size):
            if causal and cols[0] > rows[-1]:
                break
            s = q @ key[:, :, cols].to(wide).transpose(-2, -1)
            if causal:
                hidden = cols.unsqueeze(0) > rows.unsqueeze(1)
                s = s.masked_fill(hidden, torch.finfo(wide).min)
            softmax.step(s, value[:, :, cols].to(wide))
        out[:, :, rows] = softmax.finish().to(query.dtype)
    return out
