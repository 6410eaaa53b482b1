import torch
from torch import nn


def exists(val):
    return val is not None


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout = 0.1):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias = False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias = False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias = False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask = None):
        q, k, v = self.to_q(x) * self.scale, self.to_k(x), self.to_v(x)
        sim = torch.einsum('b i d, b j d -> b i j', q, k)

        if exists(attention_mask):
            sim = sim.masked_fill(attention_mask == 0, -torch.inf)

        attn = sim.softmax(dim = -1)
        # rows that may see nothing come out of the softmax as nan
        attn.nan_to_num_(0.)
        attn = self.attn_dropout(attn)

        return self.to_out(torch.einsum('b i j, b j d -> b i d', attn, v))
