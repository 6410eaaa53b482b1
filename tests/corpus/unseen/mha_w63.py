# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Kopf(nn.Module):
    """Ein einzelner Aufmerksamkeitskopf."""

    def __init__(self, breite: int, kopf_breite: int, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(breite, 3 * kopf_breite, bias=False)
        self.wurzel = math.sqrt(kopf_breite)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, gesperrt: Tensor | None) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        punkte = q @ k.transpose(1, 2) / self.wurzel
        if gesperrt is not None:
            punkte = punkte.masked_fill(gesperrt, torch.finfo(punkte.dtype).min)
        gewichte = self.dropout(torch.softmax(punkte, dim=-1))
        return gewichte @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim muss durch num_heads teilbar sein"
        kopf_breite = hidden_dim // num_heads
        self.koepfe = nn.ModuleList(
            Kopf(hidden_dim, kopf_breite, dropout) for _ in range(num_heads)
        )
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        gesperrt = [None] * len(self.koepfe)
        if attention_mask is not None:
            # (B, H, T, T) oder (B, 1, 1, T)  ->  (B, T, T) oder (B, 1, T)
            maske = attention_mask[:, 0] == 0
            gesperrt = [maske for _ in self.koepfe]
        teile = [kopf(x, g) for kopf, g in zip(self.koepfe, gesperrt)]
        return self.ausgang(torch.cat(teile, dim=-1))
