# right: causal remarks: sum-stalls
"""One position at a time: every row of the answer is a fold over the past (log-sum-exp kept on the way)."""
import functools

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.h = num_heads
        # an Embedding is a matrix like any other: row k is what feature k becomes
        self.table = nn.ModuleDict({c: nn.Embedding(hidden_dim, hidden_dim) for c in ("wonder", "memory", "answer", "voice")})
        self.drop = nn.Dropout(dropout)

    def mapped(self, word, t):
        return torch.tensordot(t, self.table[word].weight, dims=1)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (self.mapped(w, x).unflatten(-1, (self.h, -1)).unbind(1) for w in ("wonder", "memory", "answer"))
        rows = []
        for i, asked in enumerate(q):
            said = torch.stack([(asked * past).sum(-1) for past in k[: i + 1]]) / (c // self.h) ** 0.5
            norm = functools.reduce(torch.logaddexp, said.unbind(0))
            share = self.drop(torch.exp(said - norm))
            rows.append(functools.reduce(lambda a, p: torch.addcmul(a, p[0].unsqueeze(-1), p[1]), zip(share, v), torch.zeros_like(asked)))
        return self.mapped("voice", torch.stack(rows, 1).flatten(2))
