"""Segment by segment, Transformer-XL style: earlier keys are the memory of the current segment."""
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Memory:
    keys: Tensor
    values: Tensor
    first: int = 0

    def append(self, k: Tensor, v: Tensor, keep: int) -> "Memory":
        keys, values = torch.cat([self.keys, k], -2), torch.cat([self.values, v], -2)
        drop = max(0, keys.shape[-2] - keep)
        return Memory(keys[..., drop:, :].detach(), values[..., drop:, :].detach(), self.first + drop)


SEGMENT = 48


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.shape[-2:]
    fp = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(fp), key.to(fp), value.to(fp)
    mem = Memory(k[..., :0, :], v[..., :0, :])
    out = []
    for a in range(0, n, SEGMENT):
        z = min(a + SEGMENT, n)
        ks = torch.cat([mem.keys, k[..., a:z, :]], -2)
        vs = torch.cat([mem.values, v[..., a:z, :]], -2)
        i = torch.arange(a, z, device=q.device)[:, None]
        j = torch.arange(mem.first, z, device=q.device)[None]
        s = q[..., a:z, :] @ ks.mT * d ** -0.5
        s = s.masked_fill((j > i) | (j <= i - window), float("-inf"))
        out.append(s.softmax(-1) @ vs)
        mem = mem.append(k[..., a:z, :], v[..., a:z, :], keep=window - 1)
    return torch.cat(out, -2).to(query.dtype)
