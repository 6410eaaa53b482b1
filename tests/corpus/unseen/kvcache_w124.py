import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    # the cache is a list with one (k, v) for each call; they are joined when they are needed

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = (
            proj(x).reshape(B, T, self.num_heads, self.head_dim).swapaxes(1, 2)
            for proj in (self.to_q, self.to_k, self.to_v)
        )

        chunks = [] if cache is None else cache
        chunks.append((k, v))
        keys, values = (torch.cat(parts, dim=2) for parts in zip(*chunks))

        S = keys.shape[2]
        mask = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
        att = (q @ keys.swapaxes(2, 3)) / self.head_dim**0.5
        att = att.masked_fill(mask, float("-inf")).softmax(-1)

        y = (att @ values).swapaxes(1, 2).reshape(B, T, C)
        return self.to_out(y), chunks
