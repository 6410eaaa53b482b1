"""nn.MultiheadAttention, rewritten with all indices visible.

b sample, h head, t target time, s source time, e embedding, d feature of a head
"""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be a multiple of num_heads")
        self.E, self.H, self.D = embed_dim, num_heads, embed_dim // num_heads
        self.p = dropout
        u = math.sqrt(3.0 / embed_dim)

        def random() -> nn.ParameterList:
            return nn.ParameterList(
                nn.Parameter(torch.empty(self.D, embed_dim).uniform_(-u, u)) for _ in range(num_heads)
            )

        def zero() -> nn.ParameterList:
            return nn.ParameterList(nn.Parameter(torch.zeros(self.D)) for _ in range(num_heads if bias else 0))

        self.Q, self.K, self.V, self.O = random(), random(), random(), random()
        self.q0, self.k0, self.v0 = zero(), zero(), zero()
        self.o0 = nn.Parameter(torch.zeros(embed_dim)) if bias else None

    @staticmethod
    def affine(x: Tensor, W: nn.ParameterList, c: nn.ParameterList, h: int) -> Tensor:
        y = torch.einsum("bte,de->btd", x, W[h])
        return y + c[h] if len(c) else y

    def potential(self, h: int, key_padding_mask, attn_mask, like: Tensor) -> Tensor:
        """U_bts: what is added to the scores of head h; -inf is a wall."""
        B, T, S = like.shape
        U = torch.zeros_like(like)
        if attn_mask is not None:
            m = attn_mask if attn_mask.dim() == 2 else attn_mask[h :: self.H]  # rows b*H + h
            if m.dtype == torch.bool:
                U = U.masked_fill(m.expand(B, T, S), -math.inf)
            else:
                U = U + m.to(U.dtype)
        if key_padding_mask is not None:
            U = U.masked_fill(key_padding_mask[:, None, :], -math.inf)
        return U

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        out, maps = 0.0, []
        wide = torch.promote_types(query.dtype, torch.float32)
        for h in range(self.H):
            q = self.affine(query, self.Q, self.q0, h)
            k = self.affine(key, self.K, self.k0, h)
            v = self.affine(value, self.V, self.v0, h)
            s = torch.einsum("btd,bsd->bts", q.to(wide), k.to(wide)) * self.D**-0.5
            s = s + self.potential(h, key_padding_mask, attn_mask, s)
            # free energy F_t = -log Z_t; a row of walls only gets F = 0 and so weights 0
            top = s.amax(-1, keepdim=True).clamp_min(torch.finfo(wide).min)
            f = torch.exp(s - top)
            Z = f.sum(-1, keepdim=True)
            A = f / torch.where(Z > 0, Z, torch.ones_like(Z))
            maps.append(A)
            if self.training and self.p > 0:
                A = nn.functional.dropout(A, self.p)
            o = torch.einsum("bts,bsd->btd", A.to(v.dtype), v)
            out = out + torch.einsum("btd,de->bte", o, self.O[h])
        if self.o0 is not None:
            out = out + self.o0
        if not need_weights:
            return out, None
        W = torch.stack(maps, dim=1).to(query.dtype)
        return out, (torch.einsum("bhts->bts", W) / self.H if average_attn_weights else W)
