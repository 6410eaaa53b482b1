import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """fairseq flavoured: heads are folded into the batch for bmm."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _fold(self, t):
        B, T, _ = t.shape
        t = t.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(B * self.num_heads, T, self.head_dim)

    def forward(self, x, attention_mask=None):
        bsz, tgt_len, embed_dim = x.shape
        q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        q, k, v = self._fold(q * self.scaling), self._fold(k), self._fold(v)

        attn = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            full = attention_mask.expand(bsz, self.num_heads, tgt_len, tgt_len)
            full = full.transpose(0, 1).reshape(-1, tgt_len, tgt_len)
            attn = attn.masked_fill(full == 0, torch.finfo(attn.dtype).min)
        attn = F.softmax(attn, dim=-1)
        attn = F.dropout(attn, p=self.dropout, training=self.training)

        out = torch.bmm(attn, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        return self.out_proj(out.transpose(1, 2).reshape(bsz, tgt_len, embed_dim))
