# attn-kata: qk-norm
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class HeadNorm(nn.Module):
    """RMSNorm over the features of one head, 每个 head 内部 dk 维。"""

    def __init__(self, dk: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dk))
        self.root = math.sqrt(dk)
        self.eps = eps

    def forward(self, u: Tensor) -> Tensor:
        unit = F.normalize(u, p=2.0, dim=-1, eps=self.eps)
        return unit * self.root * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_head = num_heads
        self.dk = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = HeadNorm(self.dk)
        self.k_norm = HeadNorm(self.dk)

    def _split(self, t: Tensor) -> Tensor:
        bsz, tlen, _ = t.shape
        return t.view(bsz, tlen, self.n_head, self.dk).transpose(1, 2)

    @staticmethod
    def _hide_future(scores: Tensor) -> Tensor:
        tlen = scores.size(-1)
        future = torch.ones(tlen, tlen, dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(future, -math.inf)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = [self._split(t) for t in self.qkv_proj(x).chunk(3, dim=-1)]
        q = self.q_norm(q)
        k = self.k_norm(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.dk)
        weights = self._hide_future(scores).softmax(dim=-1)
        ctx = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(ctx)
