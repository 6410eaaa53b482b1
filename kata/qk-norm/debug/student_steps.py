import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.gamma_q = nn.Parameter(torch.ones(self.d_k))
        self.gamma_k = nn.Parameter(torch.ones(self.d_k))
        self.eps = 1e-6

    def split_heads(self, t):
        b, n, _ = t.size()
        return t.view(b, n, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, x):
        batch, length, _ = x.size()
        Q = self.split_heads(self.W_q(x))
        K = self.split_heads(self.W_k(x))
        V = self.split_heads(self.W_v(x))
        q_ms = torch.mean(Q**2, dim=-1, keepdim=True)
        k_ms = torch.mean(K**2, dim=-1, keepdim=True)
        Q = Q * torch.rsqrt(q_ms + self.eps)
        K = K * torch.rsqrt(k_ms + self.eps)
        Q = Q * self.gamma_q
        K = K * self.gamma_k
        scores = torch.matmul(Q, K.transpose(-2, -1))
        scores = scores / math.sqrt(self.d_k)
        mask = torch.triu(torch.ones(length, length, device=x.device), diagonal=1)
        scores = scores.masked_fill(mask == 1, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = torch.matmul(weights, V)
        out = out.transpose(1, 2).reshape(batch, length, self.d_model)
        return self.W_o(out)
