# sink first, keys behind it: the causal diagonal moves by one
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))
        self.sm_scale = self.head_dim**-0.5

    def forward(self, x):
        n_batch, n_tokens, _ = x.shape
        # (3, heads, batch, tokens, head_dim)
        Q, K, V = self.qkv(x).view(n_batch, n_tokens, 3, self.n_heads, self.head_dim).permute(2, 3, 0, 1, 4)
        QK = torch.einsum("hbqd,hbkd->hbqk", Q, K) * self.sm_scale
        S = self.sinks.reshape(self.n_heads, 1, 1, 1).expand(-1, n_batch, n_tokens, -1)
        row = torch.cat([S, QK], dim=-1)
        ahead = torch.ones(n_tokens, n_tokens + 1, dtype=torch.bool, device=x.device).triu(diagonal=2)
        W = torch.softmax(row.masked_fill(ahead, -float("inf")), dim=-1)[..., 1:]
        attn = torch.einsum("hbqk,hbkd->bqhd", W, V)
        return self.out(attn.reshape(n_batch, n_tokens, -1))
