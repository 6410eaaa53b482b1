# wrong: v1 scale-after-softmax line 14, weights-on-keys line 15
import math, torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.Q, self.K, self.V = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x):
        q, k, v = self.Q(x), self.K(x), self.V(x)
        s = torch.einsum("bik,bjk->bij", q, k)
        a = torch.softmax(s, dim=-1) / math.sqrt(x.shape[-1])
        return torch.einsum("bij,bjk->bik", a, k)
