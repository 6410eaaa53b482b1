# MHA with raw parameters W[h, d, e]. Everything that hides a key is collected in one additive field.
from __future__ import annotations

import torch
from torch import Tensor, nn

INF = float("inf")


class MultiheadAttention(nn.Module):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        E, H = embed_dim, num_heads
        D = E // H
        self.H, self.D = H, D
        g = E**-0.5
        self.W_q = nn.Parameter(g * torch.randn(H, D, E))
        self.W_k = nn.Parameter(g * torch.randn(H, D, E))
        self.W_v = nn.Parameter(g * torch.randn(H, D, E))
        self.W_o = nn.Parameter(g * torch.randn(H, D, E))
        self.b_o = nn.Parameter(torch.zeros(E), requires_grad=bias)
        self.drop = nn.Dropout(dropout)

    def field(self, mask: Tensor | None, like: Tensor) -> Tensor:
        if mask is None:
            return like.new_zeros(())
        if mask.dtype is torch.bool:
            return like.new_zeros(mask.shape).masked_fill_(mask, -INF)
        return mask

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
        B = query.shape[0]
        q = torch.einsum("bte,hde->hbtd", query, self.W_q) * self.D**-0.5
        k = torch.einsum("bse,hde->hbsd", key, self.W_k)
        v = torch.einsum("bse,hde->hbsd", value, self.W_v)

        pad = self.field(key_padding_mask, query)
        if pad.dim():
            pad = pad[:, None, :]

        A = []
        for h in range(self.H):
            m = attn_mask
            if m is not None and m.dim() == 3:
                m = m[h * B : (h + 1) * B]
            s = torch.einsum("btd,bsd->bts", q[h], k[h]) + self.field(m, query) + pad
            s = s - s.amax(dim=-1, keepdim=True)
            e = s.exp()
            A.append(e / e.sum(dim=-1, keepdim=True))
        A = torch.stack(A, dim=1)

        out = torch.einsum("bhts,hbsd,hde->bte", self.drop(A), v, self.W_o) + self.b_o
        if need_weights and average_attn_weights:
            A = A.mean(dim=1)
        return out, A if need_weights else None
