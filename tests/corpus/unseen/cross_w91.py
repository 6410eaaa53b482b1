import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """in_proj as in nn.MultiheadAttention: one weight, three thirds."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.p = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_projection(self, query, key, value):
        if query.shape == key.shape == value.shape:
            # self-attention: a single matmul is enough
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        return tuple(F.linear(t, w[i], b[i]) for i, t in enumerate((query, key, value)))

    def forward(self, query, key, value, mask=None):
        bsz, tgt, dim = query.shape
        q, k, v = (t.reshape(bsz, -1, self.h, dim // self.h).transpose(1, 2)
                   for t in self._in_projection(query, key, value))
        attn = q @ k.mT * (dim // self.h) ** -0.5
        if mask is not None:
            attn = attn.masked_fill((mask == 0)[:, None], torch.finfo(attn.dtype).min)
        attn = F.dropout(attn.softmax(dim=-1), self.p, self.training)
        return self.out_proj((attn @ v).transpose(1, 2).reshape(bsz, tgt, dim))
