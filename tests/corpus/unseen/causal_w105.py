import torch
from torch import Tensor, nn


def lower_triangle(n: int, offset: int = 0) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril(offset)


def to_heads(t: Tensor, heads: int) -> Tensor:
    return t.unflatten(2, (heads, t.shape[2] // heads)).permute(0, 2, 1, 3)


class CausalSelfAttention(nn.Module):
    allowed: Tensor

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("allowed", lower_triangle(block_size, offset=1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        q, k, v = (to_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        sim = sim.masked_fill(~self.allowed[:t, :t], torch.finfo(sim.dtype).min)
        ctx = torch.einsum("bhij,bhjd->bhid", sim.softmax(-1), v)
        return self.out(ctx.permute(0, 2, 1, 3).flatten(2))
