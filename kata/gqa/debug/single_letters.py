import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, E, H, K, p=0.0):
        super().__init__()
        hidden_dim, num_heads, num_kv_heads = E, H, K
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.hd, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.nh, self.hd).transpose(1, 2)
        k = self.wk(x).view(b, n, self.nkv, self.hd).transpose(1, 2)
        v = self.wv(x).view(b, n, self.nkv, self.hd).transpose(1, 2)
        k, v = (
            k.repeat_interleave(self.nh // self.nkv, 1),
            v.repeat_interleave(self.nh // self.nkv, 1),
        )
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.hd**-0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        p = s.softmax(-1)
        o = torch.einsum("bhqk,bhkd->bhqd", p, v)
        return self.wo(o.transpose(1, 2).flatten(2))
