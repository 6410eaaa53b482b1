# attn-kata: mqa
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MQAConfig:
    n_embd: int
    n_head: int
    block_size: int = 256
    bias: bool = False

    @property
    def head_size(self) -> int:
        size, rest = divmod(self.n_embd, self.n_head)
        assert rest == 0, "n_embd must be a multiple of n_head"
        return size


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        cfg = MQAConfig(hidden_dim, num_heads)
        self.n_head = cfg.n_head
        self.wq = nn.Linear(cfg.n_embd, cfg.n_embd, bias=cfg.bias)
        self.wk = nn.Linear(cfg.n_embd, cfg.head_size, bias=cfg.bias)
        self.wv = nn.Linear(cfg.n_embd, cfg.head_size, bias=cfg.bias)
        self.wo = nn.Linear(cfg.n_embd, cfg.n_embd, bias=cfg.bias)
        self.inv_sqrt = cfg.head_size**-0.5
        everything = torch.ones(1, 1, cfg.block_size, cfg.block_size, dtype=torch.bool)
        self.register_buffer("everything", everything, persistent=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = x.shape
        if attention_mask is None:
            attention_mask = self.everything[..., :T, :T]

        q = self.wq(x).view(B, T, self.n_head, -1).transpose(1, 2)   # (B, nh, T, hs)
        k = self.wk(x)[:, None]                                      # (B, 1, T, hs)
        v = self.wv(x)[:, None]                                      # (B, 1, T, hs)

        att = (q @ k.mT) * self.inv_sqrt                             # (B, nh, T, T)
        att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        y = att.softmax(dim=-1) @ v
        return self.wo(y.transpose(1, 2).reshape(B, T, C))
