# Ein Kopf mit Maske und Dropout; die Bezeichnungen stammen aus einem alten TF-Projekt
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.skalierung = hidden_dim**-0.5
        self.frage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.wert = nn.Linear(hidden_dim, hidden_dim)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)
        keep_prob = 1.0 - dropout
        self.ausfall = nn.Dropout(keep_prob)

    def gewichte(self, x: Tensor, maske: Tensor | None) -> Tensor:
        punkte = torch.einsum("bqc,bkc->bqk", self.frage(x), self.schluessel(x)) * self.skalierung
        if maske is not None:
            punkte = torch.where(maske != 0, punkte, torch.finfo(punkte.dtype).min)
        return self.ausfall(torch.softmax(punkte, dim=2))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.ausgang(self.gewichte(x, attention_mask) @ self.wert(x))
