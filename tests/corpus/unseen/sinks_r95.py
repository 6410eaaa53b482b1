import math
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    """No extra column: softmax over [s | sink] is softmax(s) shrunk by sigmoid(lse(s) - sink)."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.head_dim = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        B, T, C = x.size()
        qkv = self.c_attn(x).view(B, T, 3, self.n_head, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # each (B, nh, T, hs)
        s = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
        s = s + torch.full((T, T), -math.inf, dtype=s.dtype, device=s.device).triu(1)
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        y = torch.softmax(s, dim=-1) @ v
        y = y * torch.sigmoid(lse - self.sinks.view(1, -1, 1, 1))
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
