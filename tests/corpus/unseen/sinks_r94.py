import torch
from torch import nn


class SinkAttention(nn.Module):
    """The sink is a key in front of all others, whose value is the zero vector."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d, rest = divmod(hidden_dim, num_heads)
        assert not rest
        for name in ("heads_q", "heads_k", "heads_v"):
            setattr(self, name, nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim ** -0.5))
        self.sinks = nn.Parameter(torch.zeros(num_heads))
        self.mix = nn.Linear(hidden_dim, hidden_dim)

    def one_head(self, x, wq, wk, wv, sink):
        # x (b, t, e)
        q, k, v = x @ wq.T, x @ wk.T, x @ wv.T
        b, t, d = q.shape
        scores = torch.bmm(q, k.transpose(1, 2)) * d ** -0.5
        row = torch.cat([sink.reshape(1, 1, 1).expand(b, t, 1), scores], dim=2)
        reach = torch.ones(t, t + 1, dtype=torch.bool, device=x.device).tril(1)
        weights = torch.where(reach, row, row.new_full((), -torch.inf)).softmax(dim=2)
        values = torch.cat([v.new_zeros(b, 1, d), v], dim=1)
        return torch.bmm(weights, values)

    def forward(self, x):
        per_head = zip(self.heads_q, self.heads_k, self.heads_v, self.sinks)
        return self.mix(torch.cat([self.one_head(x, *w) for w in per_head], dim=-1))
