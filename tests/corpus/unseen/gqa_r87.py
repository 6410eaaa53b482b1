import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """One small module per group; each group is multi-query attention on its own."""

    class Group(nn.Module):
        def __init__(self, hidden_dim, heads, d):
            super().__init__()
            self.q = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(heads))
            self.k = nn.Linear(hidden_dim, d)
            self.v = nn.Linear(hidden_dim, d)
            self.d = d

        def forward(self, x):
            q = torch.stack([layer(x) for layer in self.q], 1)
            return q @ self.k(x).mT[:, None] / self.d**0.5, self.v(x)[:, None]

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.per_group = num_heads // num_kv_heads
        d = hidden_dim // num_heads
        self.groups = nn.ModuleList(
            self.Group(hidden_dim, self.per_group, d) for _ in range(num_kv_heads)
        )
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        heads = []
        for g, group in enumerate(self.groups):
            scores, v = group(x)
            if attention_mask is not None:
                m = attention_mask
                if m.size(1) > 1:
                    m = m[:, g * self.per_group : (g + 1) * self.per_group]
                scores = scores.masked_fill(m == 0, torch.finfo(scores.dtype).min)
            heads.extend((scores.softmax(-1) @ v).unbind(1))
        return self.wo(torch.cat(heads, -1))
