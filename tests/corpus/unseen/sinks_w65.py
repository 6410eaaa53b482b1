# Aufmerksamkeit mit gelernten Senken: je Kopf eine Zahl als letzte Spalte.
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.koepfe = num_heads
        self.tiefe = hidden_dim // num_heads
        self.ein = nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim))
        self.aus = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.senken = nn.Parameter(torch.empty(num_heads))
        self.zuruecksetzen()

    @torch.no_grad()
    def zuruecksetzen(self) -> None:
        for p in (self.ein, self.aus):
            nn.init.xavier_normal_(p)
        self.senken.normal_()

    def forward(self, x: Tensor) -> Tensor:
        n, laenge, breite = x.shape
        q, k, v = (
            t.view(n, laenge, self.koepfe, self.tiefe).transpose(1, 2)
            for t in torch.matmul(x, self.ein).chunk(3, dim=-1)
        )
        punkte = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.tiefe)
        senke = self.senken.view(1, -1, 1, 1).expand(n, -1, laenge, 1)
        zeile = torch.cat([punkte, senke], dim=-1)            # (n, h, L, L + 1)
        # keine Stelle sieht in die Zukunft
        spaeter = torch.ones_like(zeile[0, 0], dtype=torch.bool).triu(diagonal=1)
        zeile = zeile.masked_fill(spaeter, float("-inf"))
        gewichte = zeile.softmax(dim=-1)[..., :-1]            # Senke fallen lassen
        y = torch.matmul(gewichte, v).transpose(1, 2).reshape(n, laenge, breite)
        return torch.matmul(y, self.aus)
