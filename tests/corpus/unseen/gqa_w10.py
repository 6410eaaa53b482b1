# attn-kata: gqa
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.kv = num_kv_heads
        self.rep = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        k = self.wk(x).view(b, t, self.kv, self.d)
        v = self.wv(x).view(b, t, self.kv, self.d)
        q = self.wq(x).view(b, t, self.rep, self.kv, self.d)
        s = torch.einsum("btrgd,bsgd->brgts", q, k) / self.d ** 0.5
        s = s.flatten(1, 2)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        p = s.softmax(-1).unflatten(1, (self.rep, self.kv))
        y = torch.einsum("brgts,bsgd->btrgd", p, v)
        return self.wo(y.reshape(b, t, -1))
