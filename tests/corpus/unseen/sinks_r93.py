import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / self.d ** 0.5
        s = s.masked_fill(~torch.ones(t, t, dtype=torch.bool, device=x.device).tril(), float("-inf"))
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        # the sink enters the normaliser alone
        z = torch.logaddexp(lse, self.sink.view(-1, 1, 1).expand_as(lse))
        return self.proj(((s - z).exp() @ v).transpose(1, 2).reshape(b, t, c))
