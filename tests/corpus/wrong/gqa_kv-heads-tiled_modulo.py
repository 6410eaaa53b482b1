# wrong: gqa kv-heads-tiled line 19
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
        which = torch.arange(self.nh, device=x.device) % self.nkv
        k, v = k[:, which], v[:, which]
        s = q @ k.mT / math.sqrt(self.hd)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
