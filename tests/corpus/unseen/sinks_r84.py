import torch
from torch import nn


class SinkAttention(nn.Module):
    """Plain causal attention first; then each row is scaled by sigmoid(logsumexp - sink)."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.merge = (
            nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
        )
        self.register_parameter("sink_logits", nn.Parameter(torch.randn(num_heads, 1, 1)))

    def forward(self, x):
        q, k, v = (
            torch.stack(layer(x).chunk(self.num_heads, dim=-1), dim=1)
            for layer in (self.query, self.key, self.value)
        )
        s = q.matmul(k.mT).div(q.size(-1) ** 0.5)
        hide = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        s = s.masked_fill(hide, -torch.inf)
        lse = s.logsumexp(dim=-1, keepdim=True)
        heads = (s - lse).exp() @ v * torch.sigmoid(lse - self.sink_logits)
        return self.merge(torch.cat(heads.unbind(1), dim=-1))
