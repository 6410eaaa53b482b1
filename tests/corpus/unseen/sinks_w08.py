import torch
import torch.nn.functional as F
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(1, num_heads, 1, 1))

    def forward(self, x):
        B, T, C = x.size()
        k = self.key(x).view(B, T, self.nh, self.hs).transpose(1, 2)    # (B, nh, T, hs)
        q = self.query(x).view(B, T, self.nh, self.hs).transpose(1, 2)  # (B, nh, T, hs)
        v = self.value(x).view(B, T, self.nh, self.hs).transpose(1, 2)  # (B, nh, T, hs)

        att = (q @ k.transpose(-2, -1)) * (self.hs ** -0.5)
        # column 0 is the sink: (B, nh, T, 1 + T)
        att = torch.cat((self.sink.expand(B, -1, T, -1), att), dim=-1)
        tri = torch.tril(torch.ones(T, T + 1, device=x.device))
        att = att.masked_fill(tri == 0, float("-inf"))
        att = F.softmax(att, dim=-1)

        # the sink has no value, so nothing is multiplied with its column
        y = att[..., 1:] @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))
