# attn-kata: v1
"""Übung 1: Selbstaufmerksamkeit mit einem Kopf."""

import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # drei gelernte Projektionen, D -> D
        self.w_abfrage = nn.Linear(hidden_dim, hidden_dim)
        self.w_schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.w_wert = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        abfrage = self.w_abfrage(x)
        schluessel = self.w_schluessel(x).transpose(-2, -1)
        wert = self.w_wert(x)

        d = schluessel.size(-1)
        # Ähnlichkeiten: Zeile = Abfrage, Spalte = Schlüssel
        punkte = torch.matmul(abfrage, schluessel) / math.sqrt(d)
        gewichte = self.softmax(punkte)
        kontext = torch.matmul(gewichte, wert)
        return kontext


if __name__ == "__main__":
    torch.manual_seed(0)
    schicht = SelfAttentionV1(16)
    print(schicht(torch.randn(2, 16, 16)).shape)
