# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DreiecksMaske(nn.Module):
    """Untere Dreiecksmatrix, die erst bei Bedarf wächst (1 = darf gesehen werden)."""

    def __init__(self, groesste_laenge: int) -> None:
        super().__init__()
        self.groesste_laenge = groesste_laenge
        # nicht persistent: gehört nicht in den Checkpoint
        self.register_buffer("dreieck", torch.ones(1, 1, dtype=torch.bool), persistent=False)

    def forward(self, laenge: int) -> Tensor:
        if laenge > self.groesste_laenge:
            raise ValueError(f"Länge {laenge} > block_size {self.groesste_laenge}")
        if laenge > self.dreieck.size(0):
            neu = min(self.groesste_laenge, 2 ** math.ceil(math.log2(laenge)))
            self.dreieck = torch.ones(neu, neu, dtype=torch.bool, device=self.dreieck.device).tril_()
        return self.dreieck[:laenge, :laenge]


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.anzahl_koepfe = num_heads
        self.kopf_breite = hidden_dim // num_heads
        # GPT-NeoX-Anordnung: je Kopf liegen q, k und v nebeneinander
        self.abfrage_schluessel_wert = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.maske = DreiecksMaske(block_size)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        qkv = self.abfrage_schluessel_wert(x).view(b, t, self.anzahl_koepfe, 3 * self.kopf_breite)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)          # je (b, h, t, kopf_breite)

        punkte = torch.matmul(q, k.mT).div(math.sqrt(self.kopf_breite))
        punkte.masked_fill_(self.maske(t).logical_not(), -math.inf)
        gewichte = punkte.softmax(dim=-1)
        return torch.matmul(gewichte, v).transpose(1, 2).reshape(b, t, d)


if __name__ == "__main__":
    schicht = CausalSelfAttention(24, 3, 10)
    eingabe = torch.randn(2, 10, 24)
    assert torch.allclose(schicht(eingabe)[:, :4], schicht(eingabe[:, :4]), atol=1e-6)
