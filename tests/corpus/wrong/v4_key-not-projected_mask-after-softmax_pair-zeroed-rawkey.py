# wrong: v4 key-not-projected line 19, mask-after-softmax line 22
# fair: mask-after-softmax 20 22
import math
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q = self.to_q(x)
        V = self.to_v(x)
        S = Q @ x.transpose(-2, -1) / math.sqrt(x.shape[-1])
        P = S.softmax(dim=-1)
        if attention_mask is not None:
            P = P * (attention_mask != 0)
        return self.drop(P) @ V
