# wrong: v1 scale-by-length line 23, weights-on-keys line 25
import math
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight_q = nn.Parameter(torch.empty(d, d))
        self.weight_k = nn.Parameter(torch.empty(d, d))
        self.weight_v = nn.Parameter(torch.empty(d, d))
        self.reset_parameters()

    def reset_parameters(self):
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def forward(self, x):
        batch, n, d = x.size()
        q, k, v = x @ self.weight_q, x @ self.weight_k, x @ self.weight_v
        scores = torch.einsum("bxd,byd->bxy", q, k)
        scores = scores / math.sqrt(n)
        probs = scores.softmax(dim=-1)
        return torch.einsum("bxy,byd->bxd", probs, k)
