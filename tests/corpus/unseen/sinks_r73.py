import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = (q @ k.transpose(-2, -1)) / (c // self.heads) ** 0.5
        s = s + s.new_full((t, t), float("-inf")).triu(1)
        lse = s.logsumexp(-1, keepdim=True)
        plain = torch.exp(s - lse) @ v
        # as after a fused kernel: gate with sigmoid(lse - sink)
        gated = plain * torch.sigmoid(lse - self.sinks.view(-1, 1, 1))
        return self.out(gated.permute(0, 2, 1, 3).reshape(b, t, c))
