from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.scale = hidden_dim**-0.5
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.attn_drop = partial(F.dropout, p=dropout, training=self.training)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        logits = torch.einsum("btd,bsd->bts", q * self.scale, k)
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, -torch.inf)
        probs = self.attn_drop(logits.softmax(dim=-1))
        return self.out(torch.einsum("bts,bsd->btd", probs, v))
