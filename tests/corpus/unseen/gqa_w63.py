# attn-kata: gqa
from __future__ import annotations

import torch
from einops import rearrange
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Gruppierte Abfragen, ohne Schlüssel und Werte zu kopieren: g Gruppen, r Abfrageköpfe je Gruppe."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.kv_koepfe = num_kv_heads
        self.gruppe = num_heads // num_kv_heads
        self.breite = hidden_dim // num_heads
        kv = num_kv_heads * self.breite
        self.sizes = [hidden_dim, kv, kv]
        self.proj = nn.Linear(hidden_dim, sum(self.sizes))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _maske(self, maske: Tensor) -> Tensor:
        """auf fünf Achsen bringen: (b, g, r, q, k)"""
        if maske.size(1) == 1:
            return maske.unsqueeze(1)
        return rearrange(maske, "b (r g) q k -> b g r q k", g=self.kv_koepfe)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.proj(x).split(self.sizes, dim=-1)
        q = q.unflatten(-1, (self.kv_koepfe, self.gruppe, self.breite))
        k = k.unflatten(-1, (self.kv_koepfe, self.breite))
        v = v.unflatten(-1, (self.kv_koepfe, self.breite))

        punkte = torch.einsum("bqgrd,bkgd->bgrqk", q, k) * self.breite**-0.5
        if attention_mask is not None:
            punkte = punkte.masked_fill(self._maske(attention_mask) == 0, torch.finfo(punkte.dtype).min)
        gewichte = punkte.softmax(dim=-1)
        kontext = torch.einsum("bgrqk,bkgd->bqgrd", gewichte, v)
        return self.out(kontext.flatten(2))
