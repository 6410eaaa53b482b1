import torch
import torch.nn as nn
from torch.nn.functional import softmax


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        scores = q.matmul(k.transpose(-2, -1)).mul(self.scale)

        if attention_mask is not None:
            fill = torch.finfo(scores.dtype).tiny
            scores = scores.masked_fill(~attention_mask.bool(), fill)

        return self.dropout(softmax(scores, dim=-1)).matmul(v)
