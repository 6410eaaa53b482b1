# wrong: v2 softmax-wrong-axis line 21
import torch
from torch import nn


class QKVAttention(nn.Module):
    """Tüm matrisleri tek bir lineer katmanla üretir."""

    def __init__(self, d):
        super().__init__()
        self.W_qkv = nn.Linear(d, 3 * d)
        self.inv_sqrt_d = 1.0 / (d ** 0.5)

    def scores(self, q, k):
        return q.matmul(k.transpose(1, 2)).mul(self.inv_sqrt_d)

    def forward(self, x):
        qkv = self.W_qkv(x)
        q, k, v = torch.tensor_split(qkv, 3, dim=-1)
        A = self.scores(q, k)
        A = nn.functional.softmax(A, dim=-2)
        return A.matmul(v)
