# ein Tensor (breite, 3, breite) als verschmolzene Projektion, tensordot statt Linear
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Ein Kopf, eine Matrixmultiplikation fuer Frage, Schluessel und Wert."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.gewicht = nn.Parameter(torch.empty(hidden_dim, 3, hidden_dim))
        self.versatz = nn.Parameter(torch.zeros(3, hidden_dim))
        nn.init.normal_(self.gewicht, std=hidden_dim**-0.5)

    @property
    def teiler(self) -> float:
        return float(self.gewicht.shape[-1]) ** 0.5

    def forward(self, x: Tensor) -> Tensor:
        alles = torch.tensordot(x, self.gewicht, dims=1) + self.versatz
        wert, frage, schluessel = alles.unbind(dim=-2)
        punkte = frage.matmul(schluessel.mT).div(self.teiler)
        return punkte.softmax(dim=-1).matmul(wert)
