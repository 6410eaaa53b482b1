import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_q = num_heads
        self.n_kv = num_kv_heads
        self.rep = num_heads // num_kv_heads
        self.hd = hidden_dim // num_heads
        self.kv_width = num_kv_heads * self.hd
        self.wqkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_width)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.wqkv(x).split([C, self.kv_width, self.kv_width], dim=-1)

        if T == 1:
            # one key, weight 1: the softmax need not run
            return self.wo(v.repeat(1, 1, self.rep))

        q = q.view(B, T, self.n_q, self.hd).transpose(1, 2)
        k = k.view(B, T, self.n_kv, self.hd).transpose(1, 2).repeat_interleave(self.rep, dim=1)
        v = v.view(B, T, self.n_kv, self.hd).transpose(1, 2).repeat_interleave(self.rep, dim=1)
        att = (q @ k.transpose(-1, -2)) * self.hd ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        y = F.softmax(att, dim=-1) @ v
        return self.wo(y.transpose(1, 2).contiguous().view(B, T, C))
