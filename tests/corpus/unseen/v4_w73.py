# Vorstellungsgespraech: ein Kopf, Maske, Dropout
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.rate = dropout
        self.frage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.wert = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # eine Kopfachse der Breite 1, damit mehrere Koepfe spaeter leicht dazukommen
        q = self.frage(x).unsqueeze(1)
        k = self.schluessel(x).unsqueeze(1)
        v = self.wert(x).unsqueeze(1)
        punkte = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            punkte = punkte.masked_fill(attention_mask.unsqueeze(1) == 0, float("-inf"))
        anteile = F.dropout(punkte.softmax(dim=-1), self.rate, self.training)
        return (anteile @ v).squeeze()
