from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rms_norm(hidden_states: Tensor, weight: Tensor, variance_epsilon: float = 1e-5) -> Tensor:
    variance = hidden_states.pow(2).mean(-1, keepdim=True)
    return weight * (hidden_states * torch.rsqrt(variance + variance_epsilon))


class LlamaBlock(nn.Module):
    """Layout as in Megatron core: linear_qkv, linear_proj, linear_fc1, linear_fc2."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.np, self.ng = num_heads, num_kv_heads
        self.hn = hidden_dim // num_heads
        self.softmax_scale = self.hn**-0.5
        self.input_layernorm = nn.Parameter(torch.ones(hidden_dim))
        self.pre_mlp_layernorm = nn.Parameter(torch.ones(hidden_dim))
        self.linear_qkv = nn.Linear(
            hidden_dim, (self.np + 2 * self.ng) * self.hn, bias=False
        )
        self.linear_proj = nn.Linear(self.np * self.hn, hidden_dim, bias=False)
        self.linear_fc1 = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.linear_fc2 = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def _rope(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        # [b, s, ..., hn]
        shape = (1, t.size(1)) + (1,) * (t.dim() - 3) + (self.hn // 2,)
        c, s = cos.view(shape), sin.view(shape)
        first, second = torch.chunk(t, 2, dim=-1)
        return torch.cat([first * c - second * s, second * c + first * s], dim=-1)

    def _core_attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        sq = q.size(1)
        scores = torch.einsum("bqgnd,bknd->bngqk", q, k) * self.softmax_scale
        causal = torch.full((sq, sq), float("-inf"), dtype=q.dtype, device=q.device).triu(1)
        probs = F.softmax(scores + causal, dim=-1)
        return torch.einsum("bngqk,bknd->bqgnd", probs, v)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, sq, _ = x.size()
        mixed = self.linear_qkv(rms_norm(x, self.input_layernorm))
        q, k, v = mixed.split([self.np * self.hn, self.ng * self.hn, self.ng * self.hn], dim=-1)
        q = q.view(b, sq, self.np // self.ng, self.ng, self.hn)
        k = k.view(b, sq, self.ng, self.hn)
        v = v.view(b, sq, self.ng, self.hn)
        context = self._core_attention(self._rope(q, cos, sin), self._rope(k, cos, sin), v)
        x = x + self.linear_proj(context.reshape(b, sq, -1))
        gate, up = self.linear_fc1(rms_norm(x, self.pre_mlp_layernorm)).chunk(2, dim=-1)
        return x + self.linear_fc2(F.silu(gate) * up)
