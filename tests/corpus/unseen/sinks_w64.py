"""Causal attention with sinks, as a gate on the output (one sigmoid per row)."""
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.dk = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        x = x.transpose(0, 1)                                     # (T, B, C)
        frames, batch, chan = x.shape
        q = self.wq(x).view(frames, batch, self.n, self.dk)
        k = self.wk(x).view(frames, batch, self.n, self.dk)
        v = self.wv(x).view(frames, batch, self.n, self.dk)

        logits = torch.einsum("tbhd,sbhd->bhts", q, k) / self.dk ** 0.5
        total = logits.logsumexp(-1)
        causal = torch.ones(frames, frames, device=x.device, dtype=torch.bool).triu(1)
        logits = logits.masked_fill(causal, float("-inf"))
        prob = logits.softmax(-1)
        gate = torch.sigmoid(total - self.sink[None, :, None])    # (B, H, T)
        prob = prob * gate[..., None]

        y = torch.einsum("bhts,sbhd->tbhd", prob, v).reshape(frames, batch, chan)
        return self.wo(y).transpose(0, 1)
