# attn-kata: cross
import torch
from torch import nn


class CrossAttention(nn.Module):
    """Kreuzaufmerksamkeit: Abfragen aus einer Folge, Schlüssel und Werte aus einer anderen."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim muss ein Vielfaches von num_heads sein")
        self.kopfzahl = num_heads
        self.kopfbreite = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def teile(self, t):
        return t.unflatten(-1, (self.kopfzahl, self.kopfbreite)).movedim(-2, 1)

    @staticmethod
    def malus(maske, dtype):
        """0/1 -> Summand für die Punkte: 0 wo erlaubt, sehr klein wo verboten"""
        m = maske.to(dtype)
        m = m.masked_fill_(m == 0, torch.finfo(dtype).min).masked_fill_(m == 1, 0.0)
        return m

    def forward(self, query, key, value, mask=None):
        q = self.teile(self.Wq(query))
        k = self.teile(self.Wk(key))
        v = self.teile(self.Wv(value))

        punkte = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.kopfbreite ** 0.5
        if mask is not None:
            # alle Köpfe teilen sich die Maske
            punkte = punkte + self.malus(mask, punkte.dtype).unsqueeze(1)
        gewichte = self.drop(punkte.softmax(dim=-1))
        kontext = torch.einsum("bhqk,bhkd->bqhd", gewichte, v)
        return self.Wo(kontext.flatten(-2))
