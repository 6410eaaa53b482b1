import torch
from torch import Tensor
import torch.nn.functional as F


class LinearAttention:
    eps = 1e-6

    @staticmethod
    def phi(x: Tensor) -> Tensor:
        return F.elu(x) + 1

    def full(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k = self.phi(q), self.phi(k)
        kv = k.mT @ v
        return q @ kv

    def causal(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k = self.phi(q), self.phi(k)
        running = torch.einsum("bhtd,bhte->bhtde", k, v).cumsum(2)
        total = k.cumsum(2)
        out = torch.einsum("bhtd,bhtde->bhte", q, running)
        return out / (torch.einsum("bhtd,bhtd->bht", q, total)[..., None] + self.eps)


_attn = LinearAttention()


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return _attn.full(query, key, value)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return _attn.causal(query, key, value)
