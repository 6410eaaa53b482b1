# MQA: die Koepfe werden in die Laengenachse gefaltet, ein einziges bmm genuegt
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim muss durch num_heads teilbar sein")
        self.koepfe = num_heads
        self.kopfbreite = hidden_dim // num_heads
        self.alles = nn.Linear(hidden_dim, hidden_dim + 2 * self.kopfbreite)
        self.heraus = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        n, laenge, breite = x.shape
        q, k, v = self.alles(x).split([breite, self.kopfbreite, self.kopfbreite], dim=2)
        # (n, laenge * koepfe, kopfbreite): zu jeder Stelle stehen die Koepfe beieinander
        gefaltet = q.reshape(n, laenge * self.koepfe, self.kopfbreite)
        punkte = torch.baddbmm(
            gefaltet.new_zeros(1, 1, 1), gefaltet, k.transpose(1, 2), alpha=self.kopfbreite**-0.5
        )
        if attention_mask is not None:
            maske = attention_mask.expand(n, self.koepfe, laenge, laenge)
            maske = maske.transpose(1, 2).reshape(n, laenge * self.koepfe, laenge)
            punkte = punkte.masked_fill(maske == 0, float("-inf"))
        anteile = punkte.softmax(dim=-1)
        return self.heraus(torch.bmm(anteile, v).reshape(n, laenge, breite))
