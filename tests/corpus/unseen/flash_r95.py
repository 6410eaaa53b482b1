from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Running:
    """What a block of queries remembers between two key tiles."""

    top: Tensor
    total: Tensor
    acc: Tensor

    @classmethod
    def start(cls, q: Tensor) -> "Running":
        column = q.shape[:-1] + (1,)
        return cls(
            top=q.new_full(column, torch.finfo(q.dtype).min),
            total=q.new_zeros(column),
            acc=torch.zeros_like(q),
        )

    def absorb(self, logits: Tensor, v: Tensor) -> None:
        top = torch.maximum(self.top, logits.max(dim=-1, keepdim=True).values)
        shrink = (self.top - top).exp()
        p = (logits - top).exp()
        self.total = self.total * shrink + p.sum(dim=-1, keepdim=True)
        self.acc = self.acc * shrink + torch.matmul(p, v)
        self.top = top

    def finish(self) -> Tensor:
        return self.acc / self.total


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, width = query.shape[-2:]
    work = torch.promote_types(query.dtype, torch.float32)
    rows = max(block_size, 64)
    outputs = []
    for q_start in range(0, length, rows):
        q = query[..., q_start : q_start + rows, :].to(work)
        q_end = q_start + q.shape[-2]
        state = Running.start(q)
        for k_start in range(0, q_end if causal else length, block_size):
            k = key[..., k_start : k_start + block_size, :].to(work)
            v = value[..., k_start : k_start + block_size, :].to(work)
            logits = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(width)
            if causal and k_start + k.shape[-2] > q_start:
                i = torch.arange(q_start, q_end, device=q.device).unsqueeze(1)
                j = torch.arange(k_start, k_start + k.shape[-2], device=q.device).unsqueeze(0)
                logits = torch.where(j <= i, logits, -torch.inf)
            state.absorb(logits, v)
        outputs.append(state.finish())
    return torch.cat(outputs, dim=-2).to(query.dtype)
