import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.nh, self.hs).transpose(1, 2)
        bias = 0.0
        if cache is not None:
            k, v = cache
        else:
            S = memory.shape[1]
            k, v = self.kv(memory).view(B, S, 2, self.nh, self.hs).permute(2, 0, 3, 1, 4)
            pad = torch.arange(S, device=x.device)[None, :] >= memory_lengths[:, None]
            bias = torch.zeros(B, 1, 1, S, dtype=x.dtype, device=x.device)
            bias = bias.masked_fill(pad[:, None, None, :], float('-inf'))
        att = (q @ k.transpose(-2, -1)) * (self.hs ** -0.5) + bias
        att = att.softmax(dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.o(y), (k, v)
