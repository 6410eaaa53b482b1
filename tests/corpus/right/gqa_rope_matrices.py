# right: gqa-rope
# One rotation matrix for each position, as the paper writes it.
import torch
from torch import nn


def rotations(positions, width, base):
    half = width // 2
    matrices = torch.zeros(len(positions), width, width, dtype=torch.float64, device=positions.device)
    i = torch.arange(half, device=positions.device)
    angles = positions.double()[:, None] * base ** (-2.0 * i.double() / width)
    matrices[:, i, i] = torch.cos(angles)
    matrices[:, i, i + half] = -torch.sin(angles)
    matrices[:, i + half, i] = torch.sin(angles)
    matrices[:, i + half, i + half] = torch.cos(angles)
    return matrices


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.nh, self.nkv, self.base = num_heads, num_kv_heads, base
        self.hd = hidden_dim // num_heads
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, self.hd) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(hidden_dim, self.hd) for _ in range(num_kv_heads))
        self.values = nn.ModuleList(nn.Linear(hidden_dim, self.hd) for _ in range(num_kv_heads))
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache[0].size(-2)
        turn = rotations(torch.arange(past, past + x.size(1), device=x.device), self.hd, self.base).to(x.dtype)
        q = torch.stack([layer(x) for layer in self.queries], dim=1)
        k = torch.stack([layer(x) for layer in self.keys], dim=1)
        v = torch.stack([layer(x) for layer in self.values], dim=1)
        q = torch.einsum("tij,bhtj->bhti", turn, q)
        k = torch.einsum("tij,bhtj->bhti", turn, k)
        if cache is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(cache, (k, v)))
        index = torch.arange(self.nh, device=x.device) // (self.nh // self.nkv)
        logits = q @ k[:, index].mT * self.hd**-0.5
        ahead = torch.ones_like(logits).triu(past + 1).bool()
        p = logits.masked_fill(ahead, float("-inf")).softmax(-1)
        merged = (p @ v[:, index]).permute(0, 2, 1, 3).reshape(x.shape)
        return self.output(merged), (k, v)
