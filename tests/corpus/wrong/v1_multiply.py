# wrong: v1 scale-multiplied line 18
# 一道面试题
import torch
from torch import nn

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.wk = nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.wv = nn.Parameter(torch.randn(hidden_dim, hidden_dim))
        self.temperature = hidden_dim ** 0.5

    def forward(self, x):
        q = x @ self.wq
        k = x @ self.wk
        v = x @ self.wv
        scores = torch.bmm(q, k.transpose(1, 2)) * self.temperature
        return torch.bmm(scores.softmax(dim=-1), v)
