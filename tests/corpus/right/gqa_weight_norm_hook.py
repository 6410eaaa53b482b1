# right: gqa
import torch
from torch import nn
from torch.nn.utils import weight_norm


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads
        size = hidden_dim // num_heads
        self.wq = weight_norm(nn.Linear(hidden_dim, hidden_dim))
        self.wkv = weight_norm(nn.Linear(hidden_dim, 2 * num_kv_heads * size), dim=None)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, _ = x.shape
        q = self.wq(x).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = self.wkv(x).view(batch, length, 2, self.kv_heads, -1).permute(2, 0, 3, 1, 4)
        k, v = (each.repeat_interleave(self.heads // self.kv_heads, 1) for each in (k, v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ v
        return self.wo(mixed.transpose(1, 2).reshape(batch, length, -1))
