# attn-kata: mqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def maskieren(punkte: Tensor, maske: Tensor | None) -> Tensor:
    """bool, ganze Zahlen oder Gleitkomma"""
    if maske is None:
        return punkte
    if maske.is_floating_point():
        return punkte + maske.to(punkte.dtype)
    return punkte.masked_fill(maske == 0, torch.finfo(punkte.dtype).min)


class MultiQueryAttention(nn.Module):
    """Viele Abfrageköpfe, ein Schlüssel, ein Wert (Shazeer 2019)."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        breite = hidden_dim // num_heads
        self.abfragen = nn.ModuleList(nn.Linear(hidden_dim, breite, bias=False) for _ in range(num_heads))
        self.schluessel = nn.Linear(hidden_dim, breite, bias=False)
        self.wert = nn.Linear(hidden_dim, breite, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.teiler = math.sqrt(breite)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = torch.stack([abfrage(x) for abfrage in self.abfragen], dim=1)  # (B, H, T, d)
        k = self.schluessel(x).unsqueeze(1)                                # (B, 1, T, d)
        v = self.wert(x).unsqueeze(1)                                      # (B, 1, T, d)
        punkte = maskieren(torch.matmul(q, k.transpose(2, 3)) / self.teiler, attention_mask)
        kontext = torch.matmul(torch.softmax(punkte, dim=-1), v)
        return self.ausgang(torch.cat(kontext.unbind(dim=1), dim=-1))


if __name__ == "__main__":
    torch.manual_seed(1)
    schicht = MultiQueryAttention(12, 3)
    maske = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    maske[0, ..., 3:] = False
    print(schicht(torch.randn(2, 5, 12), maske).shape)
