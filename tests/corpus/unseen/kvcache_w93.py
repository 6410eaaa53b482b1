import torch
import torch.nn as nn
import torch.nn.functional as F


def causal_keep(n_query, n_key, device):
    """True where a query may read a key."""
    keep = torch.ones(n_query, n_key, device=device, dtype=torch.bool)
    return torch.tril(keep)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=-2)
            v = torch.cat([cache["v"], v], dim=-2)
        att = (q @ k.transpose(-2, -1)) / self.head_dim ** 0.5
        keep = causal_keep(T, k.size(-2), x.device)
        att = att.masked_fill(~keep, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.out(y), {"k": k, "v": v}
