"""Sinks after the fact: plain causal attention, then every row times sigmoid(lse - sink)."""
from __future__ import annotations

from typing import Tuple

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "heads have to divide the width"
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_dim // num_heads
        self.c_attn: nn.Linear = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.sinks: nn.Parameter = nn.Parameter(torch.zeros(num_heads, 1))
        self._mask: Tensor = torch.empty(0)

    def causal(self, t: int, like: Tensor) -> Tensor:
        if self._mask.shape[-1] != t or self._mask.device != like.device:
            self._mask = torch.ones(t, t, dtype=torch.bool, device=like.device).tril()
        return self._mask

    def heads(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        b, t, _ = x.shape
        packed: Tensor = self.c_attn(x).view(b, t, 3, self.num_heads, self.head_dim)
        q, k, v = packed.permute(2, 0, 3, 1, 4)
        assert q.shape == (b, self.num_heads, t, self.head_dim)
        return q, k, v

    def forward(self, x: Tensor) -> Tensor:
        assert x.dim() == 3
        b, t, c = x.shape
        q, k, v = self.heads(x)
        scores: Tensor = (q @ k.transpose(-1, -2)) * self.head_dim**-0.5
        scores = torch.where(self.causal(t, x), scores, float("-inf"))

        lse: Tensor = torch.logsumexp(scores, dim=-1)  # (b, h, t)
        plain: Tensor = torch.softmax(scores, dim=-1) @ v
        share: Tensor = torch.sigmoid(lse - self.sinks)  # (h, 1) meets (b, h, t)
        assert share.shape == (b, self.num_heads, t)
        y: Tensor = plain * share.unsqueeze(-1)
        return self.c_proj(y.transpose(1, 2).reshape(b, t, c))


def test_share_of_four() -> None:
    net = SinkAttention(4, 2).double()
    nn.init.zeros_(net.c_attn.weight)
    x = torch.randn(1, 3, 4, dtype=torch.float64)
    v = net.c_attn.bias[-4:]
    torch.testing.assert_close(net(x)[0, 2], net.c_proj(0.75 * v))


if __name__ == "__main__":
    test_share_of_four()
