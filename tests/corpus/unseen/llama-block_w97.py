from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def apply_rotary(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    left, right = torch.chunk(heads, 2, dim=-1)
    matrix = torch.stack((cos, sin, -sin, cos), dim=-1).unflatten(-1, (2, 2))
    pair = torch.stack((left, right), dim=-1)
    turned = torch.einsum("tpij,bhtpj->bhtpi", matrix, pair)
    return torch.cat(turned.unbind(-1), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.widths = [num_heads * self.head_dim, num_kv_heads * self.head_dim, num_kv_heads * self.head_dim]
        self.repeats = num_heads // num_kv_heads
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.wqkv = nn.Linear(hidden_dim, sum(self.widths), bias=False)
        self.wo = nn.Linear(self.widths[0], hidden_dim, bias=False)
        self.w1 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.w3 = nn.Linear(hidden_dim, mlp_dim, bias=False)

    def attend(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        xq, xk, xv = (
            part.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for part in self.wqkv(x).split(self.widths, dim=-1)
        )
        xq, xk = apply_rotary(xq, cos, sin), apply_rotary(xk, cos, sin)
        xk, xv = (t.unsqueeze(2).expand(-1, -1, self.repeats, -1, -1).flatten(1, 2) for t in (xk, xv))
        scores = xq @ xk.mT / self.head_dim**0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(diagonal=1)
        probs = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        return self.wo((probs @ xv).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attend(self.attention_norm(x), cos, sin)
        u = self.ffn_norm(h)
        return h + self.w2(F.silu(self.w1(u)) * self.w3(u))
