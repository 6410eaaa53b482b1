import torch
from torch import nn, Tensor


class CachedSelfAttention(nn.Module):
    """Cache: [keys, values], where each is a list of chunks of (batch, heads, length, head_dim)."""

    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.heads = num_heads
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache=None):
        b, t, c = x.shape
        q, k, v = self.fused(x).view(b, t, self.heads, 3, c // self.heads).permute(3, 0, 2, 1, 4)
        keys, values = cache if cache is not None else ([], [])
        keys.append(k)
        values.append(v)
        k, v = torch.cat(keys, dim=-2), torch.cat(values, dim=-2)
        s = k.size(-2)
        logits = torch.einsum("bhtd,bhsd->bhts", q, k) * (c // self.heads) ** -0.5
        ahead = torch.ones(t, s, dtype=torch.bool, device=x.device).triu(1 + s - t)
        p = logits.masked_fill(ahead, float("-inf")).softmax(-1)
        y = torch.einsum("bhts,bhsd->bthd", p, v).flatten(2)
        return self.out(y), [keys, values]
