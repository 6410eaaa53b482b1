import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.h = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)  # B T C
        s = torch.bmm(q, k.mT) / self.h ** 0.5  # B T T
        p = F.softmax(s, dim=1)
        return torch.bmm(p, v)
