import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Causal attention, a tile of queries at a time so that the scores stay small."""

    TILE = 16

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.heads, self.dim = num_heads, hidden_dim // num_heads
        self.block_size = block_size
        self.w_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.w_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _tile(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        rows = torch.arange(q.size(-2), device=q.device)[:, None]
        cols = torch.arange(k.size(-2), device=q.device)[None, :]
        scores = q @ k.transpose(-2, -1) / self.dim**0.5
        scores = scores.masked_fill(cols > rows, float("-inf"))
        return scores.softmax(-1) @ v

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        if t > self.block_size:
            raise ValueError(f"length {t} > block_size {self.block_size}")
        qkv = self.w_qkv(x).unflatten(-1, (3, self.heads, self.dim))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        tiles = [self._tile(qt, k, v) for qt in q.split(self.TILE, dim=2)]
        out = torch.cat(tiles, dim=2)
        return self.w_o(out.transpose(1, 2).flatten(2))
