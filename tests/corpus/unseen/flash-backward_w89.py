from __future__ import annotations

import torch
from torch import Tensor


class Backward:
    def __init__(self, query, key, value, output, lse, grad_output):
        self.q, self.k, self.v, self.lse, self.do = query, key, value, lse, grad_output
        self.scale = query.shape[-1] ** -0.5
        self.D = (output * grad_output).sum(dim=-1)
        self.dq = torch.zeros_like(query)
        self.dk = torch.zeros_like(key)
        self.dv = torch.zeros_like(value)

    def tile(self, start, stop, causal):
        first = stop - 1 if causal else 0
        q, do = self.q[:, :, first:], self.do[:, :, first:]
        k, v = self.k[:, :, start:stop], self.v[:, :, start:stop]
        s = q @ k.transpose(2, 3) * self.scale
        if causal:
            i = torch.arange(first, first + s.shape[2], device=s.device)
            j = torch.arange(start, stop, device=s.device)
            s = s.masked_fill(i.unsqueeze(1) < j.unsqueeze(0), float("-inf"))
        p = (s - self.lse[:, :, first:].unsqueeze(-1)).exp()
        dp = do @ v.transpose(2, 3)
        ds = p * (dp - self.D[:, :, first:].unsqueeze(-1))
        self.dv[:, :, start:stop] = p.transpose(2, 3) @ do
        self.dk[:, :, start:stop] = ds.transpose(2, 3) @ q * self.scale
        self.dq[:, :, first:] += ds @ k * self.scale


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
    run = Backward(query, key, value, output, lse, grad_output)
    length = key.shape[2]
    for start in range(0, length, block_size):
        run.tile(start, min(start + block_size, length), causal)
    return run.dq, run.dk, run.dv
