import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Kreuzaufmerksamkeit: die Anfrage kommt vom Decoder, Schlüssel und Wert vom Encoder."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "Breite muss durch die Anzahl der Köpfe teilbar sein"
        self.anzahl_koepfe = num_heads
        self.kopf_dim = hidden_dim // num_heads
        self.w_anfrage = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_schluessel = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_wert = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_ausgabe = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _aufteilen(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.anzahl_koepfe, self.kopf_dim)).permute(0, 2, 1, 3)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self._aufteilen(self.w_anfrage(query))     # (B, H, Tq, d)
        k = self._aufteilen(self.w_schluessel(key))    # (B, H, Tk, d)
        v = self._aufteilen(self.w_wert(value))        # (B, H, Tk, d)

        punkte = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(self.kopf_dim)
        if mask is not None:
            # Auffüllung betrifft die Schlüssel, also (B, 1, 1, Tk) über Köpfe und Anfragen
            auffuellung = mask[:, None, :1, :] == 0
            punkte = punkte.masked_fill(auffuellung, torch.finfo(punkte.dtype).min)
        gewichte = self.dropout(torch.softmax(punkte, dim=-1))
        kontext = torch.einsum("bhqk,bhkd->bqhd", gewichte, v)
        return self.w_ausgabe(kontext.flatten(2))
