# wrong: sinks sink-not-shifted line 33
# fair: sink-not-shifted 34
import math
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    """Off-by-one softmax with a learned 'one'.

    weights = exp(s_j) / (exp(sink) + sum_j exp(s_j)), computed in a safe way
    """

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        causal = torch.tril(torch.ones(N, N, dtype=torch.bool, device=x.device))
        scores = torch.where(causal, scores, float("-inf"))

        sink = self.sinks[:, None, None]
        peak = scores.amax(dim=-1, keepdim=True).maximum(sink)
        numer = torch.exp(scores - peak)
        denom = numer.sum(dim=-1, keepdim=True) + torch.exp(sink)
        weights = numer / denom
        return self.out((weights @ v).transpose(1, 2).reshape(B, N, C))
