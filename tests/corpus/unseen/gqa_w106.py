import math
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.kv = num_kv_heads
        self.groups = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.groups, self.kv, self.d)
        k = self.wk(x).view(b, t, self.kv, self.d)
        v = self.wv(x).view(b, t, self.kv, self.d)
        s = torch.einsum("btgkd,bskd->bgkts", q, k) / math.sqrt(self.d)
        s = s.flatten(1, 2)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = s.softmax(-1).view(b, self.groups, self.kv, t, t)
        y = torch.einsum("bgkts,bskd->btgkd", w, v)
        return self.wo(y.reshape(b, t, c))
