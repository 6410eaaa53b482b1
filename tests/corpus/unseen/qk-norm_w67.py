from __future__ import annotations

import torch
from torch import Tensor, nn

CHUNK = 64  # query rows whose scores exist at one time


def rms(t: Tensor, gain: Tensor) -> Tensor:
    inv = t.pow(2).mean(-1, keepdim=True).add_(1e-6).rsqrt()
    return t * inv * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_gain = nn.Parameter(torch.ones(self.D))
        self.k_gain = nn.Parameter(torch.ones(self.D))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.wqkv(x).view(B, T, 3, self.H, self.D).unbind(2)
        q = rms(q, self.q_gain).transpose(1, 2)
        k = rms(k, self.k_gain).permute(0, 2, 3, 1)
        v = v.transpose(1, 2)

        out = x.new_empty(B, T, self.H, self.D)
        for start in range(0, T, CHUNK):
            stop = min(start + CHUNK, T)
            scores = torch.matmul(q[:, :, start:stop], k[..., :stop])
            scores.mul_(self.D**-0.5)
            keep = torch.ones(stop - start, stop, dtype=torch.bool, device=x.device).tril_()
            scores.masked_fill_(~keep, float("-inf"))
            ctx = torch.matmul(scores.softmax(-1), v[:, :, :stop])
            out[:, start:stop] = ctx.transpose(1, 2)
        return self.wo(out.view(B, T, C))
