from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Saved:
    query: Tensor
    key: Tensor
    value: Tensor
    lse: Tensor
    scale: float
    causal: bool

    def weights(self, lo: int, hi: int) -> Tensor:
        """The tile's probabilities, recomputed."""
        s = self.scale * torch.matmul(self.query, self.key[..., lo:hi, :].mT)
        if self.causal:
            n = s.shape[-2]
            q_pos = torch.arange(n, device=s.device)[:, None]
            k_pos = torch.arange(lo, hi, device=s.device)[None, :]
            s = s.masked_fill(k_pos > q_pos, torch.finfo(s.dtype).min)
        return torch.softmax(s, dim=-1)


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    saved = Saved(query, key, value, lse, query.shape[-1] ** -0.5, causal)
    delta = (output * grad_output).sum(-1, keepdim=True)
    grads = {"q": torch.zeros_like(query), "k": [], "v": []}
    for lo in range(0, key.shape[-2], block_size):
        hi = min(lo + block_size, key.shape[-2])
        p = saved.weights(lo, hi)
        grads["v"].append(p.mT @ grad_output)
        dp = grad_output @ value[..., lo:hi, :].mT
        ds = p * (dp - delta) * saved.scale
        grads["q"] += ds @ key[..., lo:hi, :]
        grads["k"].append(ds.mT @ query)
    return grads["q"], torch.cat(grads["k"], dim=-2), torch.cat(grads["v"], dim=-2)
