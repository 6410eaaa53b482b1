# Aufmerksamkeit mit gelernter Senke je Kopf; die Senke steht als Spalte 0
import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.koepfe = num_heads
        self.d = hidden_dim // num_heads
        self.w_ein = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.w_aus = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.senke = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        charge, laenge, breite = x.shape
        q, k, v = (
            (x @ w).reshape(charge, laenge, self.koepfe, self.d).transpose(1, 2) for w in self.w_ein
        )
        punkte = q @ k.mT / math.sqrt(self.d)
        spalte = self.senke.reshape(1, self.koepfe, 1, 1).expand(charge, -1, laenge, -1)
        punkte = torch.cat([spalte, punkte], dim=-1)
        dreieck = torch.ones(laenge, laenge + 1, dtype=torch.bool, device=x.device).tril()
        anteile = torch.where(dreieck, punkte, -torch.inf).softmax(dim=-1)
        ergebnis = anteile[..., 1:] @ v
        return ergebnis.transpose(1, 2).reshape(charge, laenge, breite) @ self.w_aus
