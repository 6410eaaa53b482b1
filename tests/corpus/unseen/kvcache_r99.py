import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    """ vanilla causal self attention, but it can pick up where it left off """

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n_head = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim) # q, k, v for all heads in one go
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = self.c_attn(x).split(C, dim=-1)
        # make the heads a batch dimension
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v)) # (B, nh, T, hs)
        if cache is not None:
            pk, pv = cache
            k = torch.cat((pk, k), dim=2) # the past comes first
            v = torch.cat((pv, v), dim=2)
        S = k.shape[2]
        # (B, nh, T, hs) @ (B, nh, hs, S) -> (B, nh, T, S)
        att = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        # row t of this call is position S - T + t of the sequence
        ok = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        att = att.masked_fill(~ok, float('-inf'))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), (k, v)
