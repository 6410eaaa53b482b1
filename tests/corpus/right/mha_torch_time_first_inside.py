# right: mha remarks: nan-on-empty-row
# fairseq habits: time first inside, heads folded next to the batch
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.1, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.dropout = dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.kv_proj = nn.Linear(embed_dim, 2 * embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, x, attn_mask=None, need_weights=False):
        x = x.transpose(0, 1)
        tgt_len, bsz, embed_dim = x.size()
        q = self.q_proj(x) * self.scaling
        k, v = self.kv_proj(x).chunk(2, dim=-1)
        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        w = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None:
            w = w.view(bsz, self.num_heads, tgt_len, tgt_len)
            w = w.masked_fill(attn_mask == 0, float("-inf"))
            w = w.view(bsz * self.num_heads, tgt_len, tgt_len)
        w = F.softmax(w, dim=-1)
        p = F.dropout(w, self.dropout, self.training)
        y = torch.bmm(p, v).transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        y = self.out_proj(y).transpose(0, 1)
        if need_weights:
            return y, w.view(bsz, self.num_heads, tgt_len, tgt_len).mean(dim=1)
        return y
