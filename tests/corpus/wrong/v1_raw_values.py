# wrong: v1 value-not-projected line 19
import torch
import torch.nn as nn
import math


class Solution(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)

    def forward(self, embedded):
        q = self.wq(embedded)
        k = self.wk(embedded)
        scale = 1 / math.sqrt(q.shape[-1])
        prob = torch.softmax(q @ torch.transpose(k, 1, 2) * scale, dim=-1)
        res = prob @ embedded
        return res
