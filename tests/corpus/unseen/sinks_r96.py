import torch
from torch import nn
from torch.func import vmap


def one_query(q, keys, values, sink, t):
    """A single query of a single head: q (d,), keys and values (T, d), sink and t scalars."""
    scores = keys @ q * q.shape[0] ** -0.5
    scores = torch.where(torch.arange(keys.shape[0], device=q.device) <= t, scores, -torch.inf)
    row = torch.softmax(torch.cat([sink[None].to(scores.dtype), scores]), 0)
    return row[1:] @ values


over_queries = vmap(one_query, in_dims=(0, None, None, None, 0))
over_heads = vmap(over_queries, in_dims=(0, 0, 0, 0, None))
over_batch = vmap(over_heads, in_dims=(0, 0, 0, None, None))


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        shape = (num_heads, hidden_dim, hidden_dim // num_heads)
        self.wq, self.wk, self.wv = (
            nn.Parameter(torch.randn(shape) * hidden_dim**-0.5) for _ in range(3)
        )
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.randn(num_heads))

    def forward(self, x):
        by_head = x.unsqueeze(1)  # (batch, 1, T, hidden)
        t = torch.arange(x.shape[1], device=x.device)
        heads = over_batch(by_head @ self.wq, by_head @ self.wk, by_head @ self.wv, self.sink, t)
        return self.wo(torch.cat(heads.unbind(1), dim=-1))
