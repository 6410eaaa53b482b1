# right: mha remarks: nan-on-empty-row
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Module, Parameter, init


class MultiHeadAttention(Module):
    """Parameters packed as torch's own layer packs them."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = Parameter(torch.zeros(3 * embed_dim))
        self.out_proj_weight = Parameter(torch.empty(embed_dim, embed_dim))
        self.out_proj_bias = Parameter(torch.zeros(embed_dim))
        init.xavier_uniform_(self.in_proj_weight)
        init.xavier_uniform_(self.out_proj_weight)

    def forward(self, x: Tensor, attn_mask: Tensor | None = None) -> Tensor:
        bsz, length, width = x.shape
        q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)

        # heads folded into the batch, as (batch * heads, length, head_dim)
        def fold(t: Tensor) -> Tensor:
            t = t.reshape(bsz, length, self.num_heads, self.head_dim).transpose(1, 2)
            return t.reshape(bsz * self.num_heads, length, self.head_dim)

        q, k, v = fold(q), fold(k), fold(v)
        q_scaled = q * (1.0 / self.head_dim) ** 0.5
        if attn_mask is None:
            w = torch.bmm(q_scaled, k.transpose(-2, -1))
        else:
            full = attn_mask.expand(bsz, self.num_heads, length, length)
            full = full.reshape(bsz * self.num_heads, length, length)
            bias = torch.zeros_like(full, dtype=q.dtype).masked_fill(full == 0, float("-inf"))
            w = torch.baddbmm(bias, q_scaled, k.transpose(-2, -1))
        w = F.softmax(w, dim=-1)
        if self.dropout > 0.0:
            w = F.dropout(w, p=self.dropout, training=self.training)
        out = torch.bmm(w, v).view(bsz, self.num_heads, length, self.head_dim)
        out = out.transpose(1, 2).reshape(bsz, length, width)
        return F.linear(out, self.out_proj_weight, self.out_proj_bias)
