# right: cross remarks: nan-on-empty-row
import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """One packed matrix; each input takes the third that belongs to it."""

    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value, attn_mask=None):
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.in_proj_bias.chunk(3)
        q = F.linear(query, w_q, b_q).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = F.linear(key, w_k, b_k).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = F.linear(value, w_v, b_v).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)).div(q.size(-1) ** 0.5)
        if attn_mask is not None:
            hidden = (attn_mask == 0)[:, None]
            scores = scores + torch.zeros_like(scores).masked_fill(hidden, float("-inf"))
        attn = F.dropout(F.softmax(scores, dim=-1), self.dropout, self.training)
        return self.out_proj((attn @ v).transpose(1, 2).reshape(query.shape))
