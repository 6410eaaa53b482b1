import math

import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    """Ein Kopf, Maske (1 = darf hinsehen), Dropout, Ausgangsprojektion."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.breite = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.aus_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _gewichte(self, q, k, maske):
        punkte = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.breite)
        if maske is not None:
            # kleinster endlicher Wert des Datentyps, damit auch float16 geht
            punkte = punkte.masked_fill(maske == 0, torch.finfo(punkte.dtype).min)
        # Dropout nur im Training, darum kümmert sich die Schicht selbst
        punkte = self.dropout(punkte)
        return torch.softmax(punkte, dim=-1)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        gewichte = self._gewichte(q, k, attention_mask)
        return self.aus_proj(torch.matmul(gewichte, v))
