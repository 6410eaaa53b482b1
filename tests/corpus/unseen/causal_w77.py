# Kausale Selbstaufmerksamkeit wie in GPT: keine Position darf in die Zukunft schauen.
import math

import torch
from torch import nn


def kausale_maske(laenge: int) -> torch.Tensor:
    """Wahr, wo eine Anfrage (Zeile) einen Schlüssel (Spalte) sehen darf."""
    maske = torch.ones(laenge, laenge, dtype=torch.bool).tril(diagonal=-1)
    maske[0, 0] = True  # die erste Zeile darf nicht leer sein, sonst NaN
    return maske


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim muss durch num_heads teilbar sein")
        self.koepfe = num_heads
        self.kopf_breite = hidden_dim // num_heads
        self.eingang = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)
        # als Puffer, damit die Maske mit dem Modell auf die GPU wandert
        self.register_buffer("maske", kausale_maske(block_size), persistent=False)

    def forward(self, x):
        stapel, laenge, breite = x.shape
        q, k, v = (
            t.view(stapel, laenge, self.koepfe, self.kopf_breite).transpose(1, 2)
            for t in self.eingang(x).split(breite, dim=2)
        )
        punkte = q @ k.transpose(-2, -1) / math.sqrt(self.kopf_breite)
        punkte = punkte.masked_fill(~self.maske[:laenge, :laenge], float("-inf"))
        gewichte = punkte.softmax(dim=-1)
        ergebnis = (gewichte @ v).transpose(1, 2).contiguous().view(stapel, laenge, breite)
        return self.ausgang(ergebnis)
