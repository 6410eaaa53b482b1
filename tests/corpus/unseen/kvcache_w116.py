import torch
from torch import nn


def causal_bias(new, total, like):
    """(new, total) to be added to the scores of the `new` last positions."""
    if total > new:
        return like.new_zeros(new, total)
    return like.new_full((new, total), float("-inf")).triu(total - new + 1)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.shape = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        h, d = self.shape
        q, *kv = self.qkv(x).view(B, T, 3, h, d).permute(2, 0, 3, 1, 4)
        kv = torch.stack(kv)                                # (2, B, h, T, d)
        if cache is not None:
            kv = torch.cat((cache, kv), dim=3)
        k, v = kv
        att = q @ k.transpose(-1, -2) * d ** -0.5 + causal_bias(T, k.size(2), x)
        y = (att.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y), kv
