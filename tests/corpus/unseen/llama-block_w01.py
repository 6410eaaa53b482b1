import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def apply_rotary_(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate (batch, heads, length, head_dim) by halves; the projection itself is kept."""
    half = x.shape[-1] // 2
    out = x.clone()
    a = out[..., :half]
    b = out[..., half:]
    out[..., :half] = a * cos - b * sin
    out[..., half:] = b * cos + a * sin
    return out


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_width = num_kv_heads * self.head_dim
        self.widths = [hidden_dim, kv_width, kv_width]
        self.wqkv = nn.Linear(hidden_dim, sum(self.widths), bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w13 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.wqkv(self.attention_norm(x)).split(self.widths, dim=-1)
        q = q.view(B, T, self.num_heads, -1).transpose(1, 2)
        k = k.view(B, T, self.num_kv_heads, -1).transpose(1, 2)
        v = v.view(B, T, self.num_kv_heads, -1).transpose(1, 2)
        q = apply_rotary_(q, cos, sin)
        k = apply_rotary_(k, cos, sin)

        groups = self.num_heads // self.num_kv_heads
        k = k[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)
        v = v[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)
        scores = (q @ k.mT) * (1.0 / math.sqrt(self.head_dim))
        visible = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        y = scores.where(visible, float("-inf")).softmax(-1) @ v
        h = x + self.wo(y.transpose(1, 2).contiguous().view(B, T, C))

        gate, up = self.w13(self.ffn_norm(h)).chunk(2, dim=-1)
        return h + self.w2(F.silu(gate) * up)
