import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.H, self.K = num_heads, num_kv_heads
        self.G = num_heads // num_kv_heads
        self.D = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.D, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.D, bias=False)
        self.wo = nn.Linear(num_heads * self.D, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        # no repeat_interleave: keep the group as an axis of its own
        q = self.wq(x).view(B, T, self.G, self.K, self.D)
        k, v = self.wkv(x).view(B, T, 2, self.K, self.D).unbind(2)
        s = torch.einsum("btgkd,bskd->bgkts", q, k) * self.D ** -0.5
        s = s.reshape(B, self.H, T, T)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        p = s.softmax(-1).view(B, self.G, self.K, T, T)
        o = torch.einsum("bgkts,bskd->btgkd", p, v).reshape(B, T, self.H * self.D)
        return self.wo(o)
