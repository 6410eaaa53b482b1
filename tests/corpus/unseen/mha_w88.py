# Mehrkopf-Aufmerksamkeit, ein Modul je Kopf
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Kopf(nn.Module):
    def __init__(self, breite: int, kopfbreite: int, verwerfen: float) -> None:
        super().__init__()
        self.frage = nn.Linear(breite, kopfbreite)
        self.schluessel = nn.Linear(breite, kopfbreite)
        self.wert = nn.Linear(breite, kopfbreite)
        self.verwerfen = nn.Dropout(verwerfen)
        self.teiler = math.sqrt(kopfbreite)

    def forward(self, x: Tensor, sichtbar: Tensor | None) -> Tensor:
        punkte = self.frage(x) @ self.schluessel(x).transpose(1, 2) / self.teiler
        if sichtbar is not None:
            punkte = punkte.masked_fill(sichtbar == 0, float("-inf"))
        return self.verwerfen(torch.softmax(punkte, dim=2)) @ self.wert(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        rest = hidden_dim % num_heads
        assert rest == 0, f"{hidden_dim} ist kein Vielfaches von {num_heads}"
        self.koepfe = nn.ModuleList(
            [Kopf(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads)]
        )
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # (charge, 1 oder koepfe, laenge oder 1, laenge) -> je Kopf (charge, laenge oder 1, laenge)
        ergebnisse = []
        for kopf in self.koepfe:
            maske = None
            if attention_mask is not None:
                maske = attention_mask[:, 0]
            ergebnisse.append(kopf(x, maske))
        return self.ausgang(torch.cat(ergebnisse, dim=-1))
