# Gruppierte Abfragen mit Drehung (RoPE) und Zwischenspeicher.
from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Speicher:
    """Gedrehte Schlüssel, Werte und die Zahl der schon gesehenen Stellen."""

    schluessel: Tensor | None = None
    werte: Tensor | None = None
    gesehen: int = 0

    def mit(self, k: Tensor, v: Tensor) -> Speicher:
        neu = k.shape[-2]
        if self.schluessel is None:
            return replace(self, schluessel=k, werte=v, gesehen=neu)
        return Speicher(
            schluessel=torch.cat([self.schluessel, k], dim=-2),
            werte=torch.cat([self.werte, v], dim=-2),
            gesehen=neu,
        )


def drehe(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    h = t.shape[-1] // 2
    a, b = t[..., :h], t[..., h:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).type_as(t)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.koepfe, self.gruppen = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.basis = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wo = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def winkel(self, von: int, anzahl: int, x: Tensor) -> tuple[Tensor, Tensor]:
        genau = torch.promote_types(x.dtype, torch.float32)
        stellen = torch.arange(von, von + anzahl, device=x.device, dtype=genau)
        stufen = torch.arange(0, self.d, 2, device=x.device, dtype=genau) / self.d
        w = stellen[:, None] / self.basis**stufen
        return w.cos(), w.sin()

    def forward(self, x: Tensor, cache: Speicher | None = None) -> tuple[Tensor, Speicher]:
        alt = cache or Speicher()
        b, n, _ = x.shape

        def koepfe(t: Tensor) -> Tensor:
            return t.view(b, n, -1, self.d).transpose(1, 2)

        cos, sin = self.winkel(alt.gesehen, n, x)
        q = drehe(koepfe(self.wq(x)), cos, sin)
        k = drehe(koepfe(self.wk(x)), cos, sin)
        jetzt = alt.mit(k, koepfe(self.wv(x)))

        # (b, gruppe, kopf, n, d) gegen (b, gruppe, 1, alle, d)
        q = q.unflatten(1, (self.gruppen, -1))
        punkte = q @ jetzt.schluessel.unsqueeze(2).mT / self.d**0.5
        alle = punkte.shape[-1]
        sichtbar = torch.ones(n, alle, dtype=torch.bool, device=x.device).tril(alle - n)
        gewichte = torch.where(sichtbar, punkte, float("-inf")).softmax(-1)
        y = (gewichte @ jetzt.werte.unsqueeze(2)).flatten(1, 2)
        return self.wo(y.transpose(1, 2).flatten(2)), jetzt
