# attn-kata: gqa
# InternLM2 / Falcon-40B 的布局: 每一组 [q ... q k v] 挨在一起
import torch
from einops import rearrange
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.n_kv = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _grouped(self, mask):
        """(b, h or 1, i or 1, j) -> (b, g or 1, r or 1, i or 1, j), True = 屏蔽"""
        mask = mask == 0
        if mask.shape[1] == 1:
            return mask.unsqueeze(2)
        return rearrange(mask, "b (g r) i j -> b g r i j", r=self.group)

    def forward(self, x, attention_mask=None):
        qkv = rearrange(
            self.wqkv(x), "b t (g s d) -> b g s t d", g=self.n_kv, s=self.group + 2, d=self.head_dim
        )
        q, k, v = qkv.split([self.group, 1, 1], dim=2)      # k, v: (b, g, 1, t, d), 靠广播, 不复制

        scores = torch.matmul(q * self.head_dim ** -0.5, k.mT)      # (b, g, r, t, t)
        if attention_mask is not None:
            scores = scores.masked_fill(self._grouped(attention_mask), torch.finfo(scores.dtype).min)
        out = torch.matmul(scores.softmax(-1), v)
        return self.wo(rearrange(out, "b g r t d -> b t (g r d)"))
