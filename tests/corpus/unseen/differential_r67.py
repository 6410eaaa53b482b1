import math
import torch
from torch import nn


class Kopf(nn.Module):
    def __init__(self, breite, d):
        super().__init__()
        self.frage = nn.ModuleList([nn.Linear(breite, d), nn.Linear(breite, d)])
        self.schluessel = nn.ModuleList([nn.Linear(breite, d), nn.Linear(breite, d)])
        self.wert = nn.Linear(breite, 2 * d)

    def karte(self, i, x, verboten):
        punkte = self.frage[i](x) @ self.schluessel[i](x).transpose(1, 2)
        punkte = punkte / math.sqrt(self.frage[i].out_features)
        return punkte.masked_fill(verboten, float("-inf")).softmax(dim=-1)

    def forward(self, x, lam, verboten):
        return (self.karte(0, x, verboten) - lam * self.karte(1, x, verboten)) @ self.wert(x)


class DifferentialAttention(nn.Module):
    """Jeder Kopf ein Modul; Lambda und die Norm gehoeren allen gemeinsam."""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // (2 * num_heads)
        self.koepfe = nn.ModuleList(Kopf(hidden_dim, d) for _ in range(num_heads))
        # Zeilen: frage 1, frage 2, schluessel 1, schluessel 2
        self.l = nn.Parameter(torch.randn(4, d) * 0.1)
        self.norm = nn.RMSNorm(2 * d, eps=1e-5)
        self.ausgabe = nn.Linear(hidden_dim, hidden_dim)
        self.anfang = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def forward(self, x):
        t = x.shape[1]
        verboten = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(diagonal=1)
        plus, minus = (self.l[:2] * self.l[2:]).sum(dim=1).exp().unbind()
        lam = plus - minus + self.anfang
        teile = [self.norm(kopf(x, lam, verboten)) * (1 - self.anfang) for kopf in self.koepfe]
        return self.ausgabe(torch.cat(teile, dim=-1))
