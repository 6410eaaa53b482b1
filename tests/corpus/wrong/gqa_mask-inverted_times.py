# wrong: gqa mask-inverted line 25
import torch, math
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.nh, self.nkv = num_heads, num_kv_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hd)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.nh, self.hd).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2, self.nkv, self.hd).permute(2, 0, 3, 1, 4)
        k, v = (
            k.repeat_interleave(self.nh // self.nkv, 1),
            v.repeat_interleave(self.nh // self.nkv, 1),
        )
        s = q @ k.mT / math.sqrt(self.hd)
        if attention_mask is not None:
            bias = attention_mask.to(s.dtype) * torch.finfo(s.dtype).min
            s = s + bias
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
