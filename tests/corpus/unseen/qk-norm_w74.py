# Aufmerksamkeit mit genormten Fragen und Schluesseln
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.koepfe = num_heads
        self.kopfbreite = hidden_dim // num_heads
        self.frage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.wert = nn.Linear(hidden_dim, hidden_dim)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)
        self.frage_norm = self.schluessel_norm = nn.RMSNorm(self.kopfbreite, eps=1e-6)

    def in_koepfe(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.koepfe, self.kopfbreite)).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        laenge = x.shape[1]
        q = self.frage_norm(self.in_koepfe(self.frage(x)))
        k = self.schluessel_norm(self.in_koepfe(self.schluessel(x)))
        v = self.in_koepfe(self.wert(x))

        punkte = q @ k.transpose(-2, -1) / math.sqrt(self.kopfbreite)
        nur_zurueck = torch.full((laenge, laenge), float("-inf"), device=x.device).triu(1)
        anteile = torch.softmax(punkte + nur_zurueck.to(punkte.dtype), dim=-1)
        return self.ausgang((anteile @ v).transpose(1, 2).flatten(2))
