# right: mha
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """fairseq-flavoured: time first, batch and heads in one axis, packed weights"""

    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        self.out_w = nn.Parameter(torch.empty(embed_dim, embed_dim))
        self.out_b = nn.Parameter(torch.zeros(embed_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_w)

    def forward(self, x, attention_mask=None):
        x = x.transpose(0, 1)
        tgt_len, bsz, embed_dim = x.size()
        q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        q = q * self.scaling

        def fold(t):
            return t.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)

        q, k, v = fold(q), fold(k), fold(v)
        attn = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            attn = attn.view(bsz, self.num_heads, tgt_len, tgt_len)
            attn = attn.masked_fill(attention_mask.to(torch.bool).logical_not(), float("-inf"))
            attn = attn.view(bsz * self.num_heads, tgt_len, tgt_len)
        attn = F.dropout(F.softmax(attn, dim=-1), p=self.dropout, training=self.training)
        attn = torch.bmm(attn, v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return F.linear(attn, self.out_w, self.out_b).transpose(0, 1)
