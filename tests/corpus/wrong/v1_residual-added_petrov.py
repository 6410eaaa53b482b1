# wrong: v1 residual-added line 19
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # матрицы запросов, ключей и значений
        Q, K, V = self.query(x), self.key(x), self.value(x)
        S = torch.matmul(Q, K.transpose(-2, -1)) / (K.size(-1) ** 0.5)
        A = S.softmax(dim=-1)
        out = torch.matmul(A, V)
        return out + x
