# right: gqa-rope
# Keys and values are repeated before they are cached: right, but the cache is no smaller.
import numpy as np
import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, embed_dim, num_query_heads, num_groups, rope_base=10000):
        super(GroupedQueryAttention, self).__init__()
        self.embed_dim = embed_dim
        self.num_query_heads = num_query_heads
        self.num_groups = num_groups
        self.rope_base = rope_base
        self.head_dim = embed_dim // num_query_heads
        self.q_linear = nn.Linear(embed_dim, embed_dim)
        self.k_linear = nn.Linear(embed_dim, num_groups * self.head_dim)
        self.v_linear = nn.Linear(embed_dim, num_groups * self.head_dim)
        self.out_linear = nn.Linear(embed_dim, embed_dim)

    def get_angles(self, start, seq_len):
        pos = np.arange(start, start + seq_len)[:, None]
        i = np.arange(self.head_dim // 2)[None, :]
        return pos / np.power(self.rope_base, 2 * i / self.head_dim)

    def apply_rope(self, x, start):
        angles = torch.from_numpy(self.get_angles(start, x.shape[2])).to(device=x.device)
        sin = torch.sin(angles).to(x.dtype)
        cos = torch.cos(angles).to(x.dtype)
        half = self.head_dim // 2
        out = x.clone()
        out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
        out[..., half:] = x[..., half:] * cos + x[..., :half] * sin
        return out

    def forward(self, x, kv_cache=None):
        batch_size, seq_len, _ = x.shape
        q = self.q_linear(x).view(batch_size, seq_len, self.num_query_heads, self.head_dim).transpose(1, 2)
        k = self.k_linear(x).view(batch_size, seq_len, self.num_groups, self.head_dim).transpose(1, 2)
        v = self.v_linear(x).view(batch_size, seq_len, self.num_groups, self.head_dim).transpose(1, 2)

        # repeat every kv head for its group of queries
        repeat = self.num_query_heads // self.num_groups
        k = torch.stack([k] * repeat, dim=2).flatten(1, 2)
        v = torch.stack([v] * repeat, dim=2).flatten(1, 2)

        start = 0
        if kv_cache is not None:
            start = kv_cache[0].shape[2]
        q = self.apply_rope(q, start)
        k = self.apply_rope(k, start)
        if kv_cache is not None:
            k = torch.cat((kv_cache[0], k), dim=2)
            v = torch.cat((kv_cache[1], v), dim=2)

        scores = torch.matmul(q, k.transpose(-2, -1)) / np.sqrt(self.head_dim)
        mask = torch.tril(torch.ones(seq_len, k.shape[2], device=x.device), diagonal=start)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(batch_size, seq_len, self.embed_dim)
        return self.out_linear(out), (k, v)
