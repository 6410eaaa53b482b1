# wrong: gqa parameters-not-registered line 15
# fair: parameters-not-registered 16
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_heads = num_heads
        self.share = num_heads // num_kv_heads
        d = self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_heads = [nn.Linear(hidden_dim, d) for _ in range(num_kv_heads)]
        self.v_heads = [nn.Linear(hidden_dim, d) for _ in range(num_kv_heads)]
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, e = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = torch.stack([self.k_heads[i // self.share](x) for i in range(self.num_heads)], dim=1)
        v = torch.stack([self.v_heads[i // self.share](x) for i in range(self.num_heads)], dim=1)
        s = q @ k.transpose(-1, -2) / self.head_dim**0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e))
