import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.proj_in = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_parameter("sink_logit", nn.Parameter(torch.zeros(num_heads, 1, 1)))

    def forward(self, x):
        t = x.shape[1]
        q, k, v = (z.unflatten(2, (self.n, -1)).transpose(1, 2) for z in self.proj_in(x).tensor_split(3, 2))
        s = (q @ k.mT).div(q.shape[-1] ** 0.5)
        s = s + s.new_full((t, t), float("-inf")).triu(1)
        # plain attention, then each head is turned down by what its sink takes
        lse = s.logsumexp(dim=-1, keepdim=True)
        y = torch.exp(s - lse) @ v * torch.sigmoid(lse - self.sink_logit)
        return self.proj_out(y.transpose(1, 2).flatten(2))
