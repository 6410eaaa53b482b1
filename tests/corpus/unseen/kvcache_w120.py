import torch
from torch import nn


def split_heads(t, heads):
    return t.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(t):
    return t.transpose(1, 2).flatten(-2)


def future_of(length, key_length, device):
    rows = torch.arange(key_length - length, key_length, device=device).unsqueeze(1)
    return torch.arange(key_length, device=device) > rows


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x, cache=None):
        q = split_heads(self.query(x), self.num_heads)
        k = split_heads(self.key(x), self.num_heads)
        v = split_heads(self.value(x), self.num_heads)
        present = {"k": k, "v": v}

        if cache:
            k = torch.cat((cache["k"], k), dim=-2)
            v = torch.cat((cache["v"], v), dim=-2)

        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
        scores.masked_fill_(future_of(x.size(1), k.size(2), x.device), float("-inf"))
        y = torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
        return self.output(merge_heads(y)), present
