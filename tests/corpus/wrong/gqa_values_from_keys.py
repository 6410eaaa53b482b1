# wrong: gqa values-from-keys line 20
# fair: values-from-keys 22
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.kv = num_heads, num_kv_heads
        self.dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = self.wq(x).unflatten(-1, (self.heads, self.dim)).transpose(1, 2)
        k = self.wk(x).unflatten(-1, (self.kv, self.dim)).transpose(1, 2)
        v = self.wk(x).unflatten(-1, (self.kv, self.dim)).transpose(1, 2)
        k = k.repeat_interleave(self.heads // self.kv, dim=1)
        v = v.repeat_interleave(self.heads // self.kv, dim=1)
        s = q @ k.mT / self.dim**0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
