# attn-kata: kvcache
from __future__ import annotations

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """Kausale Aufmerksamkeit, die dort weitermacht, wo der letzte Aufruf aufgehört hat."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.koepfe = num_heads
        self.breite = hidden_dim // num_heads
        self.frage = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wert = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.beginn = 0

    def in_koepfe(self, t: Tensor) -> Tensor:
        b, laenge, _ = t.shape
        return t.reshape(b, laenge, self.koepfe, self.breite).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        q = self.in_koepfe(self.frage(x))
        k = self.in_koepfe(self.schluessel(x))
        v = self.in_koepfe(self.wert(x))

        if cache is None:
            self.beginn = 0
        else:
            alt_k, alt_v = cache
            k = torch.cat([alt_k, k], dim=-2)      # alte zuerst
            v = torch.cat([alt_v, v], dim=-2)

        neu, gesamt = q.size(-2), k.size(-2)
        zeile = torch.arange(neu, device=x.device)[:, None] + self.beginn
        spalte = torch.arange(gesamt, device=x.device)[None, :]
        punkte = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.breite**0.5
        punkte = punkte.masked_fill(spalte > zeile, -torch.inf)
        self.beginn += neu

        kontext = torch.einsum("bhqk,bhkd->bqhd", punkte.softmax(-1), v)
        return self.ausgang(kontext.flatten(2)), (k, v)
