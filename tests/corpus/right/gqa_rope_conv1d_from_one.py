# right: gqa-rope
import math

import torch
from torch import nn


class Conv1D(nn.Module):
    """Basically works like a linear layer but the weights are transposed."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.view(size_out)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_head = num_heads
        self.n_kv_head = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.rope_base = base
        self.kv_attn = Conv1D(2 * num_kv_heads * self.head_dim, hidden_dim)
        self.q_attn = Conv1D(num_heads * self.head_dim, hidden_dim)
        self.c_proj = Conv1D(hidden_dim, num_heads * self.head_dim)

    def _rotate(self, x, cos, sin):
        half = self.head_dim // 2
        out = torch.empty_like(x)
        out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
        out[..., half:] = x[..., half:] * cos + x[..., :half] * sin
        return out

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        query = self.q_attn(x).view(bsz, q_len, self.n_head, self.head_dim).permute(0, 2, 1, 3)
        kv = self.kv_attn(x).view(bsz, q_len, 2, self.n_kv_head, self.head_dim).permute(2, 0, 3, 1, 4)
        if cache is not None:
            kv = torch.cat((cache, kv), dim=3)
        present = kv
        key, value = kv[0], kv[1]
        k_len = key.size(2)

        # positions 1..k_len: only the distance matters
        pos = torch.arange(1, k_len + 1, device=x.device).float()
        freq = self.rope_base ** (torch.arange(self.head_dim // 2, device=x.device).float() * (-2.0 / self.head_dim))
        angle = pos.unsqueeze(1) * freq.unsqueeze(0)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        key = self._rotate(key, cos, sin)
        query = self._rotate(query, cos[-q_len:], sin[-q_len:])

        n_rep = self.n_head // self.n_kv_head
        key = torch.stack([key] * n_rep, dim=2).view(bsz, self.n_head, k_len, self.head_dim)
        value = torch.stack([value] * n_rep, dim=2).view(bsz, self.n_head, k_len, self.head_dim)

        w = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        causal = torch.tril(torch.ones((k_len, k_len), dtype=torch.uint8, device=x.device)).bool()
        causal = causal[k_len - q_len : k_len, :k_len]
        w = torch.where(causal, w, torch.full([], torch.finfo(w.dtype).min, dtype=w.dtype, device=w.device))
        w = nn.functional.softmax(w, dim=-1)
        a = torch.matmul(w, value)
        a = a.permute(0, 2, 1, 3).contiguous()
        a = a.view(bsz, q_len, self.n_head * self.head_dim)
        return self.c_proj(a), present
