# attn-kata: cross
from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        assert self.n * self.d == hidden_dim
        self.frage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.inhalt = nn.Linear(hidden_dim, hidden_dim)
        self.ausgabe = nn.Linear(hidden_dim, hidden_dim)
        self.normieren = nn.Sequential(
            nn.Softmax(dim=-1),
            nn.Dropout(dropout, inplace=True),
        )

    def in_koepfe(self, t: Tensor) -> Tensor:
        b, laenge, _ = t.shape
        return t.reshape(b, laenge, self.n, self.d).permute(0, 2, 1, 3)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        b, tq, breite = query.shape
        q = self.in_koepfe(self.frage(query))              # (b, n, tq, d)
        k = self.in_koepfe(self.schluessel(key))           # (b, n, tk, d)
        v = self.in_koepfe(self.inhalt(value))             # (b, n, tk, d)

        punkte = q.matmul(k.mT) / sqrt(self.d)
        if mask is not None:
            punkte = punkte.masked_fill(mask.view(b, 1, tq, -1) == 0, torch.finfo(q.dtype).min)
        gewichte = self.normieren(punkte)
        kontext = gewichte.matmul(v).permute(0, 2, 1, 3).reshape(b, tq, breite)
        return self.ausgabe(kontext)
