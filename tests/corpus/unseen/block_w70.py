# Transformer-Block mit Normierung vor den Teilschichten
import math

import torch
from torch import nn


class Schichtnorm(nn.Module):
    def __init__(self, breite: int, eps: float = 1e-5):
        super().__init__()
        self.gewicht = nn.Parameter(torch.ones(breite))
        self.versatz = nn.Parameter(torch.zeros(breite))
        self.eps = eps

    def forward(self, x):
        mittel = x.mean(dim=-1, keepdim=True)
        varianz = x.var(dim=-1, keepdim=True)
        return (x - mittel) / torch.sqrt(varianz + self.eps) * self.gewicht + self.versatz


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.koepfe = num_heads
        self.norm_1, self.norm_2 = Schichtnorm(hidden_dim), Schichtnorm(hidden_dim)
        self.anfrage = nn.Linear(hidden_dim, hidden_dim)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim)
        self.wert = nn.Linear(hidden_dim, hidden_dim)
        self.ausgabe = nn.Linear(hidden_dim, hidden_dim)
        self.netz = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def aufmerksamkeit(self, x):
        B, T, C = x.shape
        teile = lambda t: t.view(B, T, self.koepfe, C // self.koepfe).transpose(1, 2)
        q, k, v = teile(self.anfrage(x)), teile(self.schluessel(x)), teile(self.wert(x))
        punkte = q @ k.transpose(-2, -1) / math.sqrt(C // self.koepfe)
        # nur zurückschauen, nicht in die Zukunft
        erlaubt = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        gewichte = punkte.masked_fill(~erlaubt, float("-inf")).softmax(dim=-1)
        return self.ausgabe((gewichte @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.aufmerksamkeit(self.norm_1(x))
        x = x + self.netz(self.norm_2(x))
        return x
