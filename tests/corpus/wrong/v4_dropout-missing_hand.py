# wrong: v4 dropout-missing line 22
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.p = dropout

    def forward(self, x, attention_mask=None, return_attention=False):
        q, k, v = self.q(x), self.k(x), self.v(x)
        att = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        att = F.softmax(att, dim=-1)
        F.dropout(att, p=self.p, training=self.training)
        out = self.o(att @ v)
        if return_attention:
            return out, att
        return out
