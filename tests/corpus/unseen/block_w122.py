import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.output = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            layer(x).unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        position = torch.arange(x.shape[1], device=x.device)
        allowed = position[:, None] >= position[None, :]
        scores = query @ key.mT * query.shape[-1] ** -0.5
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        heads = scores.softmax(dim=-1) @ value
        return self.output(heads.permute(0, 2, 1, 3).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.up = nn.Linear(dim, 4 * dim)
        self.gelu = nn.GELU()
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.gelu(self.up(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = Attention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.mlp = FeedForward(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        residual = x + self.attention(self.norm_1(x))
        residual += self.mlp(self.norm_2(residual))
        return residual
