from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Sharing:
    heads: int
    kv_heads: int
    index: list[int] = field(init=False)

    def __post_init__(self) -> None:
        reach = self.heads // self.kv_heads
        self.index = [h // reach for h in range(self.heads)]      # 0 0 0 1 1 1


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.sharing = Sharing(num_heads, num_kv_heads)
        d = hidden_dim // num_heads
        self.q_layers = nn.ModuleList([nn.Linear(hidden_dim, d) for _ in range(num_heads)])
        self.k_layers = nn.ModuleList([nn.Linear(hidden_dim, d) for _ in range(num_kv_heads)])
        self.v_layers = nn.ModuleList([nn.Linear(hidden_dim, d) for _ in range(num_kv_heads)])
        self.o_layer = nn.Linear(num_heads * d, hidden_dim)
        self.register_buffer("kv_of", torch.tensor(self.sharing.index), persistent=False)

    @staticmethod
    def stacked(layers: nn.ModuleList, x: Tensor) -> Tensor:
        return torch.stack([layer(x) for layer in layers], dim=1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.stacked(self.q_layers, x)
        k = self.stacked(self.k_layers, x).index_select(1, self.kv_of)
        v = self.stacked(self.v_layers, x).index_select(1, self.kv_of)
        s = torch.matmul(q, k.mT).div_(q.shape[-1] ** 0.5)
        if attention_mask is not None:
            s = s + torch.where(attention_mask != 0, 0.0, float("-inf")).to(s.dtype)
        # softmax by hand
        e = torch.exp(s - s.detach().amax(-1, keepdim=True))
        o = torch.matmul(e / e.sum(-1, keepdim=True), v)
        return self.o_layer(torch.cat(o.unbind(1), dim=-1))
