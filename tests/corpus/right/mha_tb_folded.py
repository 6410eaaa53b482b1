# right: mha
# T x B x C inside; heads live next to the batch as (B*H)
import torch
from torch import nn
from torch.nn import functional as F


class MultiheadSelfAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, kdim=None, vdim=None, dropout=0.0, add_zero_attn=False):
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self.num_heads = num_heads
        self.dropout_module = nn.Dropout(dropout)
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        assert not add_zero_attn
        self.k_proj = nn.Linear(self.kdim, embed_dim)
        self.v_proj = nn.Linear(self.vdim, embed_dim)
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def fold(self, t, length, bsz):
        return t.contiguous().view(length, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(self, x, attn_mask=None):
        x = x.transpose(0, 1)
        tgt_len, bsz, embed_dim = x.shape
        q = self.fold(self.q_proj(x) * self.scaling, tgt_len, bsz)
        k = self.fold(self.k_proj(x), tgt_len, bsz)
        v = self.fold(self.v_proj(x), tgt_len, bsz)

        scores = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None:
            # one (T, T) map per example, shared by that example's heads
            m = attn_mask.to(torch.bool).repeat_interleave(self.num_heads, dim=0)
            scores = scores.masked_fill(m.logical_not(), float("-inf"))
        probs = self.dropout_module(F.softmax(scores, dim=-1))
        ctx = torch.bmm(probs, v)
        assert list(ctx.size()) == [bsz * self.num_heads, tgt_len, self.head_dim]
        ctx = ctx.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(ctx).transpose(0, 1)
