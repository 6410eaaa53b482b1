# attn-kata: gqa-rope
import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.inv_freq = inv_freq

    def forward(self, position_ids, dtype):
        freqs = torch.outer(position_ids.to(dtype), self.inv_freq.to(position_ids.device, dtype))
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, -1, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, -1, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, -1, self.head_dim).transpose(1, 2)
        past = 0 if cache is None else cache[0].shape[-2]
        position_ids = torch.arange(past, past + t, device=x.device)
        cos, sin = self.rotary_emb(position_ids, x.dtype)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        keys = k.repeat_interleave(self.groups, dim=1)
        values = v.repeat_interleave(self.groups, dim=1)
        scores = q @ keys.transpose(2, 3) * self.head_dim ** -0.5
        causal = torch.arange(past + t, device=x.device)[None, :] > position_ids[:, None]
        weights = scores.masked_fill(causal, float("-inf")).softmax(dim=-1)
        out = (weights @ values).transpose(1, 2).reshape(b, t, -1)
        return self.o_proj(out), (k, v)
