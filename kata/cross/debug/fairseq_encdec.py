import torch
from torch import nn


class EncoderDecoderAttention(nn.Module):
    """Works in (T, B, C); takes and gives (B, T, C)."""

    def __init__(self, embed_dim, num_heads, kdim=None, vdim=None, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.p = dropout
        self.k_proj = nn.Linear(kdim or embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(vdim or embed_dim, embed_dim, bias=bias)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, attn_mask=None, need_weights=False):
        query, key, value = (t.transpose(0, 1) for t in (query, key, value))
        tgt_len, bsz, embed_dim = query.size()
        src_len = key.size(0)

        q = self.q_proj(query) / self.head_dim**0.5
        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = (
            self.k_proj(key)
            .contiguous()
            .view(src_len, bsz * self.num_heads, self.head_dim)
            .transpose(0, 1)
        )
        v = (
            self.v_proj(value)
            .contiguous()
            .view(src_len, bsz * self.num_heads, self.head_dim)
            .transpose(0, 1)
        )

        w = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None:
            w = w.view(bsz, self.num_heads, tgt_len, src_len)
            w = w.masked_fill(attn_mask.unsqueeze(1) == 0, float("-inf"))
            w = w.view(bsz * self.num_heads, tgt_len, src_len)
        w = nn.functional.dropout(w.softmax(dim=-1), self.p, self.training)
        attn = torch.bmm(w, v).transpose(0, 1).reshape(tgt_len, bsz, embed_dim)
        attn = self.out_proj(attn).transpose(0, 1)
        if need_weights:
            return attn, w.view(bsz, self.num_heads, tgt_len, src_len).mean(1)
        return attn
