from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class RotaryMixin:
    @staticmethod
    def rotate(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """heads (batch, heads, length, head_dim): each pair times [[cos, -sin], [sin, cos]]."""
        turn = torch.stack((torch.stack((cos, -sin)), torch.stack((sin, cos))))  # (2, 2, length, half)
        pairs = heads.unflatten(-1, (2, -1))
        turned = torch.einsum("xyli,bhlyi->bhlxi", turn.to(heads.dtype), pairs)
        return turned.flatten(-2)


class GroupedAttentionMixin(RotaryMixin):
    num_heads: int
    num_kv_heads: int
    qkv: nn.Linear
    wo: nn.Linear

    def attend(self, h: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        queries, shared = self.num_heads, self.num_kv_heads
        rows = self.qkv(h).unflatten(-1, (queries + 2 * shared, -1)).transpose(1, 2)
        qk, v = rows.tensor_split([queries + shared], dim=1)
        q, k = self.rotate(qk, cos, sin).split([queries, shared], dim=1)  # one rotation for both
        repeats = queries // shared
        scores = q.unflatten(1, (shared, repeats)) @ k.unsqueeze(2).mT / q.shape[-1] ** 0.5
        length = h.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=h.device).triu(1)
        weights = scores.masked_fill(future, -torch.inf).softmax(dim=-1)
        context = (weights @ v.unsqueeze(2)).flatten(1, 2)
        return self.wo(context.transpose(1, 2).flatten(-2))


class SwiGluMixin:
    gate_up: nn.Linear
    down: nn.Linear

    def feed(self, h: Tensor) -> Tensor:
        gate, up = self.gate_up(h).chunk(2, dim=-1)
        return self.down(gate * torch.sigmoid(gate) * up)


class LlamaBlock(nn.Module, GroupedAttentionMixin, SwiGluMixin):
    eps = 1e-5

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.norm_weights = nn.Parameter(torch.ones(2, hidden_dim))

    def norm(self, x: Tensor, which: int) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        square = wide.square().mean(dim=-1, keepdim=True)
        return (wide * torch.rsqrt(square + self.eps)).to(x.dtype) * self.norm_weights[which]

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attend(self.norm(x, 0), cos, sin)
        return x + self.feed(self.norm(x, 1))
