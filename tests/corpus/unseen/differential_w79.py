import math

import torch
import torch.nn.functional as F
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.n_head = num_heads
        self.d = hidden_dim // num_heads // 2
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambdas = nn.Parameter(torch.zeros(4, self.d).normal_(std=0.1))
        self.subln = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.fixed = None

    def current_lambda(self):
        lq1, lk1, lq2, lk2 = self.lambdas
        return torch.exp(lq1 @ lk1) - torch.exp(lq2 @ lk2) + self.lambda_init

    def train(self, mode=True):
        # in eval mode the number does not move any more
        self.fixed = None if mode else self.current_lambda().item()
        return super().train(mode)

    def forward(self, x):
        bsz, t, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(bsz, t, 2 * self.n_head, self.d).transpose(1, 2)
        k = k.view(bsz, t, 2 * self.n_head, self.d).transpose(1, 2)
        v = v.view(bsz, t, self.n_head, 2 * self.d).transpose(1, 2)

        att = (q * self.d ** -0.5) @ k.transpose(-1, -2)
        att = att + torch.full((t, t), float("-inf"), device=x.device, dtype=att.dtype).triu(1)
        att = F.softmax(att, dim=-1).view(bsz, self.n_head, 2, t, t)

        lam = self.current_lambda() if self.fixed is None else self.fixed
        y = (att[:, :, 0] - lam * att[:, :, 1]) @ v
        y = self.subln(y) * (1 - self.lambda_init)
        return self.out_proj(y.transpose(1, 2).reshape(bsz, t, c))
