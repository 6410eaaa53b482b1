import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lambda_q1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.subln = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    def forward(self, x):
        B, T, C = x.shape
        q = self.q_proj(x).view(B, T, 2, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        k = self.k_proj(x).view(B, T, 2, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        v = self.v_proj(x).view(B, T, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        # q, k: 2, B, H, T, d
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        mask = torch.tril(torch.ones(T, T, device=x.device)) == 0
        maps = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        lam = (
            torch.exp(torch.dot(self.lambda_q1, self.lambda_k1))
            - torch.exp(torch.dot(self.lambda_q2, self.lambda_k2))
            + self.lambda_init
        )
        out = (maps[0] - lam * maps[1]) @ v
        out = self.subln(out) * (1 - self.lambda_init)
        return self.out_proj(out.transpose(1, 2).reshape(B, T, C))
