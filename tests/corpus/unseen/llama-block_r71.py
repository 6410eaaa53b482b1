# Llama-Block mit fusionierten Gewichten; Bezeichner auf Deutsch, Kommentare auch.
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class QuadratNorm(nn.Module):
    """RMSNorm, in Einzelschritten."""

    def __init__(self, breite: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gewicht = nn.Parameter(torch.ones(breite))
        self.eps = eps

    def forward(self, u: Tensor) -> Tensor:
        return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + self.eps) * self.gewicht


def drehen(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    # t: (charge, koepfe, ..., laenge, kopfbreite); Paare sind Haelften
    vorne, hinten = t.tensor_split(2, dim=-1)
    return torch.cat((vorne * cos - hinten * sin, hinten * cos + vorne * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.kopfbreite = hidden_dim // num_heads
        self.kv_koepfe = num_kv_heads
        self.gruppe = num_heads // num_kv_heads
        self.norm_vor_attention = QuadratNorm(hidden_dim)
        self.norm_vor_mlp = QuadratNorm(hidden_dim)
        self.breiten = [hidden_dim, num_kv_heads * self.kopfbreite, num_kv_heads * self.kopfbreite]
        self.qkv = nn.Linear(hidden_dim, sum(self.breiten), bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.tor_und_hoch = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.runter = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def aufmerksamkeit(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        laenge = u.shape[1]
        q, k, v = self.qkv(u).split(self.breiten, dim=-1)
        # q: (charge, kv, gruppe, laenge, breite), k und v: (charge, kv, laenge, breite)
        q = q.unflatten(-1, (self.kv_koepfe, self.gruppe, -1)).permute(0, 2, 3, 1, 4)
        k = k.unflatten(-1, (self.kv_koepfe, -1)).permute(0, 2, 1, 3)
        v = v.unflatten(-1, (self.kv_koepfe, -1)).permute(0, 2, 1, 3)
        q, k = drehen(q, cos, sin), drehen(k, cos, sin)
        punkte = torch.einsum("bkgid,bkjd->bkgij", q, k) * self.kopfbreite**-0.5
        zukunft = torch.ones(laenge, laenge, dtype=torch.bool, device=u.device).triu(1)
        anteile = punkte.masked_fill(zukunft, -torch.inf).softmax(-1)
        gemischt = torch.einsum("bkgij,bkjd->bikgd", anteile, v)
        return self.ausgang(gemischt.flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        h = x + self.aufmerksamkeit(self.norm_vor_attention(x), cos, sin)
        tor, hoch = self.tor_und_hoch(self.norm_vor_mlp(h)).chunk(2, dim=-1)
        return h + self.runter(F.silu(tor) * hoch)
