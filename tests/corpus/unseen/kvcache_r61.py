# attn-kata: kvcache
# State in, state out: the cache is an immutable chain of chunks, the way I would carry it in a lax.scan.
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Chunk(NamedTuple):
    """the keys and values of one call, and a link to the call before"""

    keys: Tensor     # [H, B, T, K]
    values: Tensor   # [H, B, T, K]
    before: Optional["Chunk"] = None

    def unroll(self) -> tuple[Tensor, Tensor]:
        """all keys and all values, oldest first"""
        ks, vs, node = [], [], self
        while node is not None:
            ks.insert(0, node.keys)
            vs.insert(0, node.values)
            node = node.before
        return torch.cat(ks, dim=-2), torch.cat(vs, dim=-2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.params = nn.ParameterDict(
            {
                name: nn.Parameter(torch.randn(num_heads, hidden_dim, self.head_dim) * hidden_dim**-0.5)
                for name in ("w_q", "w_k", "w_v")
            }
        )
        self.params["w_o"] = nn.Parameter(
            torch.randn(num_heads, self.head_dim, hidden_dim) * hidden_dim**-0.5
        )

    def forward(self, x: Tensor, cache: Optional[Chunk] = None) -> tuple[Tensor, Chunk]:
        q, k, v = (torch.einsum("btd,hdk->hbtk", x, self.params[n]) for n in ("w_q", "w_k", "w_v"))
        cache = Chunk(k, v, cache)
        keys, values = cache.unroll()

        total, new = keys.shape[-2], q.shape[-2]
        key_pos = torch.arange(total, device=x.device)
        query_pos = key_pos[total - new :]
        logits = torch.einsum("hbtk,hbsk->hbts", q, keys) * self.head_dim**-0.5
        logits = torch.where(key_pos <= query_pos[:, None], logits, -torch.inf)

        probs = torch.softmax(logits, dim=-1)
        out = torch.einsum("hbts,hbsk,hkd->btd", probs, values, self.params["w_o"])
        return out, cache
