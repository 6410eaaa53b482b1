# wrong: v1 value-not-projected line 17, scale-without-sqrt line 19
import torch
import torch.nn as nn


class AttentionHead(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)

    def forward(self, x):
        Q = self.query(x)
        K = self.key(x)
        V = x
        QK = Q @ K.transpose(-2, -1)
        QK = QK / self.dim
        A = torch.softmax(QK, dim=-1)
        return A @ V
