import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lk1 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lq2 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lk2 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.norm = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    def forward(self, x):
        batch, length, hidden = x.shape

        # (batch, length, heads, two maps, head_dim)
        queries = self.wq(x).view(batch, length, self.num_heads, 2, self.head_dim)
        keys = self.wk(x).view(batch, length, self.num_heads, 2, self.head_dim)
        values = self.wv(x).view(batch, length, self.num_heads, 2 * self.head_dim)

        scores = torch.einsum("bqhmd,bkhmd->bhmqk", queries, keys)
        scores = scores / math.sqrt(self.head_dim)
        positions = torch.arange(length, device=x.device)
        later = positions[None, :] > positions[:, None]
        scores = scores.masked_fill(later, float("-inf"))
        maps = torch.softmax(scores, dim=-1)
        map_one = maps[:, :, 0]
        map_two = maps[:, :, 1]

        first_term = torch.exp(torch.dot(self.lq1, self.lk1))
        second_term = torch.exp(torch.dot(self.lq2, self.lk2))
        lam = first_term - second_term + self.lambda_init

        difference = map_one - lam * map_two
        context = torch.einsum("bhqk,bkhe->bqhe", difference, values)
        scaled_context = (1 - self.lambda_init) * context
        normed_context = self.norm(scaled_context)
        merged = normed_context.reshape(batch, length, hidden)
        return self.wo(merged)
