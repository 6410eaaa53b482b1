import torch
from torch import Tensor, nn


def slopes(heads: int) -> Tensor:
    n = 1 << (heads.bit_length() - 1)
    base = torch.arange(1, n + 1, dtype=torch.float64).mul(-8 / n).exp2()
    more = torch.arange(1, 2 * n + 1, 2, dtype=torch.float64).mul(-4 / n).exp2()
    return torch.cat([base, more[: heads - n]]).float()


def _distance(query_length: int, key_length: int) -> Tensor:
    query_at = torch.arange(key_length - query_length, key_length)
    return query_at[:, None] - torch.arange(key_length)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    dist = _distance(query_length, key_length)
    penalty = torch.einsum("h,qk->hqk", slopes(heads), dist.float())
    return (-penalty).masked_fill(dist < 0, float("-inf"))


class AlibiAttention(nn.Module):
    def __init__(self, heads: int, head_dim: int):
        super().__init__()
        self.scale = head_dim**-0.5
        self.register_buffer("m", slopes(heads).view(1, heads, 1, 1))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = q @ k.mT * self.scale
        rel = _distance(q.size(2), k.size(2)).to(q.device)
        scores = scores - self.m.to(scores) * rel.to(scores.dtype)
        causal = torch.ones_like(rel, dtype=torch.bool).tril()
        return scores.masked_fill(~causal, float("-inf")).softmax(-1) @ v


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    layer = AlibiAttention(query.size(1), query.size(3)).to(query.device)
    return layer(query.to(wide), key.to(wide), value.to(wide)).to(query.dtype)
