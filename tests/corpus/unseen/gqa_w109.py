import torch
from torch import nn, einsum


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.g = num_kv_heads
        self.r = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, self.g * self.d)
        self.wv = nn.Linear(hidden_dim, self.g * self.d)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.g, self.r, self.d)
        k = self.wk(x).view(b, n, self.g, self.d)
        v = self.wv(x).view(b, n, self.g, self.d)

        # r in front of g, so that g lines up with the kv heads by broadcasting
        sim = einsum("b i g r d, b j g d -> b r g i j", q, k) * self.d**-0.5
        if attention_mask is not None:
            m = attention_mask.expand(b, self.g * self.r, n, n)
            m = m.unflatten(1, (self.r, self.g))
            sim = torch.where(m != 0, sim, torch.finfo(sim.dtype).min)
        attn = sim.softmax(dim=-1)
        out = einsum("b r g i j, b j g d -> b i g r d", attn, v)
        return self.wo(out.reshape(b, n, -1))
