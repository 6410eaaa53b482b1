# wrong: attention-module returned-alone line 40
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.p = dropout

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bsz, tgt, dim = query.shape
        src = key.size(1)
        wq, wk, wv = self.in_proj_weight.split(dim)
        q = F.linear(query, wq).view(bsz, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        k = F.linear(key, wk).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)
        v = F.linear(value, wv).view(bsz, src, self.num_heads, self.head_dim).transpose(1, 2)
        attn = torch.matmul(q, k.transpose(-1, -2)) / self.head_dim**0.5
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(bsz, self.num_heads, tgt, src)
            if attn_mask.dtype == torch.bool:
                attn = attn.masked_fill(attn_mask, float("-inf"))
            else:
                attn = attn + attn_mask
        if key_padding_mask is not None:
            attn = attn.masked_fill(key_padding_mask.view(bsz, 1, 1, src), float("-inf"))
        attn = F.softmax(attn, dim=-1)
        ctx = torch.matmul(F.dropout(attn, self.p, self.training), v)
        out = self.out_proj(ctx.transpose(1, 2).reshape(bsz, tgt, dim))
        if need_weights:
            return out, attn.mean(1) if average_attn_weights else attn
        return out
