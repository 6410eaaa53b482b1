from __future__ import annotations

import math

import torch
from torch import Tensor, nn

try:
    if not torch.cuda.is_available():
        raise ImportError("fused norms need CUDA")
    from apex.normalization import FusedLayerNorm as LayerNorm
except ImportError:

    class LayerNorm(nn.LayerNorm):
        def __init__(self, width: int, eps: float = 1e-5) -> None:
            super().__init__(width, eps=eps)


ACTIVATIONS = {
    "gelu": nn.GELU,
    "gelu_new": lambda: nn.GELU(approximate="tanh"),
    "relu": nn.ReLU,
}


class Residual(nn.Module):
    def __init__(self, width: int, branch: nn.Module) -> None:
        super().__init__()
        self.norm, self.branch = LayerNorm(width), branch

    def forward(self, stream: Tensor) -> Tensor:
        return stream + self.branch(self.norm(stream))


class CausalAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        mixed = scores.masked_fill(ahead, -math.inf).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))


def mlp(width: int, *, expansion: int = 4, act: str = "gelu") -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, expansion * width), ACTIVATIONS[act](), nn.Linear(expansion * width, width)
    )


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__(
            Residual(hidden_dim, CausalAttention(hidden_dim, num_heads)),
            Residual(hidden_dim, mlp(hidden_dim)),
        )
