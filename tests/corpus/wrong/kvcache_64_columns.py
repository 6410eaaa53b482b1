# wrong: kvcache length-fixed line 30
import torch
from torch import nn, Tensor
from typing import Any


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _split(self, t: Tensor) -> Tensor:
        b, n, d = t.shape
        return t.reshape(b, n, self.num_heads, d // self.num_heads).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (self._split(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        start = 0
        if cache is not None:
            start = cache["length"]
            k = torch.cat((cache["k"], k), dim=-2)
            v = torch.cat((cache["v"], v), dim=-2)
        new_cache = {"k": k, "v": v, "length": start + x.shape[1]}

        rows = torch.arange(start, start + x.shape[1], device=x.device).unsqueeze(1)
        cols = torch.arange(64, device=x.device).unsqueeze(0)[:, :k.shape[-2]]
        scores = (q * q.shape[-1] ** -0.5) @ k.mT
        scores = torch.where(cols <= rows, scores, float("-inf"))
        ctx = torch.softmax(scores, dim=-1) @ v
        return self.o_proj(ctx.permute(0, 2, 1, 3).flatten(2)), new_cache
