import math

import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.g1, self.b1 = nn.Parameter(torch.ones(hidden_dim)), nn.Parameter(torch.zeros(hidden_dim))
        self.g2, self.b2 = nn.Parameter(torch.ones(hidden_dim)), nn.Parameter(torch.zeros(hidden_dim))
        self.w_qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)
        self.w_up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.w_down = nn.Linear(4 * hidden_dim, hidden_dim)

    @staticmethod
    def norm(x, gain, shift):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)
        return centred / (variance + 1e-5).sqrt() * gain + shift

    def attention(self, x):
        q, k, v = self.w_qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        t = x.shape[1]
        scores = scores.masked_fill(torch.ones(t, t, device=x.device).triu(1).bool(), -math.inf)
        return self.w_o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def mlp(self, x):
        h = self.w_up(x)
        return self.w_down(h * 0.5 * (1 + torch.erf(h / math.sqrt(2))))

    def forward(self, x):
        x = x + self.attention(self.norm(x, self.g1, self.b1))
        return x + self.mlp(self.norm(x, self.g2, self.b2))
