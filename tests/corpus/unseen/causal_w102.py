import torch
from torch import Tensor, nn


def to_heads(t: Tensor, n: int) -> Tensor:
    return torch.stack(t.chunk(n, dim=-1), dim=1)


def from_heads(t: Tensor) -> Tensor:
    return torch.cat(t.unbind(dim=1), dim=-1)


def lower_triangle(n: int, device: torch.device) -> Tensor:
    steps = torch.arange(n, device=device)
    return steps[:, None] >= steps[None, :]


def causal_softmax(scores: Tensor) -> Tensor:
    seen = lower_triangle(scores.size(-1), scores.device)
    return scores.where(seen, scores.new_tensor(float("-inf"))).softmax(dim=-1)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.scale = hidden_dim**-0.5
        self.proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v")})

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (to_heads(self.proj[n](x), self.num_heads) for n in ("q", "k", "v"))
        scores = self.scale * (q @ k.transpose(2, 3))
        return from_heads(causal_softmax(scores) @ v)
