from __future__ import annotations

import torch
from torch import Tensor, nn

# Unterrichtsbeispiel: ein Satz liest einen anderen


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.koepfe = num_heads
        self.breite = hidden_dim // num_heads
        self.frage = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wert = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausfall = nn.Dropout(dropout)

    def teilen(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.view(b, n, self.koepfe, self.breite).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self.teilen(self.frage(query))
        k = self.teilen(self.schluessel(key))
        v = self.teilen(self.wert(value))

        noten = q @ k.transpose(-1, -2) * self.breite**-0.5
        if mask is not None:
            # 1 -> 0, 0 -> sehr klein; für alle Köpfe gleich
            sperre = (1.0 - mask.float()) * -1e9
            noten = noten + sperre.unsqueeze(1)
        anteile = self.ausfall(noten.softmax(dim=-1))

        b, n, c = query.shape
        return self.ausgang((anteile @ v).transpose(1, 2).reshape(b, n, c))
