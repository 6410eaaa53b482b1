# Selbstaufmerksamkeit mit einem Kopf, direkt nach der Formel
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.breite = hidden_dim
        self.frage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.wert = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # Matrizen statt Stapel: eine Zeile je Token
        zeilen = x.reshape(-1, self.breite)
        q, k, v = self.frage(zeilen), self.schluessel(zeilen), self.wert(zeilen)
        punkte = q @ k.transpose(-2, -1) / math.sqrt(self.breite)
        anteile = torch.softmax(punkte, dim=-1)
        return (anteile @ v).view(x.shape)
