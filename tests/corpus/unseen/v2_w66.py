import math
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        bsz, seq_len, _ = x.shape

        # one matmul, then (b, t, 3, d)
        qkv = self.qkv(x)
        qkv = qkv.view(bsz, seq_len, 3, self.hidden_dim)

        # each part is (b, t, 1, d), get rid of the extra axis
        q, k, v = qkv.split(1, dim=2)
        q = q.squeeze()
        k = k.squeeze()
        v = v.squeeze()

        scores = torch.matmul(q, k.transpose(-2, -1))
        scores = scores / math.sqrt(self.hidden_dim)
        attn = torch.softmax(scores, dim=-1)
        y = torch.matmul(attn, v)
        return self.out(y)
