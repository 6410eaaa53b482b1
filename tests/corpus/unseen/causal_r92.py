import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """No mask at all: query i is given keys 0..i by slicing. O(n) python steps, easy to read."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.width_of_head: int = hidden_dim // num_heads
        self.number_of_heads: int = num_heads
        self.longest: int = block_size
        self.to_query = nn.Linear(hidden_dim, hidden_dim)
        self.to_key_value = nn.Linear(hidden_dim, hidden_dim * 2)
        self.together = nn.Linear(hidden_dim, hidden_dim)

    def rearranged(self, y: Tensor) -> Tensor:
        return y.unflatten(-1, [self.number_of_heads, self.width_of_head]).swapaxes(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        halves = self.to_key_value(x).tensor_split(2, -1)
        queries = self.rearranged(self.to_query(x))
        keys, values = map(self.rearranged, halves)
        rows = []
        for i in range(x.shape[1]):
            upto = slice(None, i + 1)
            now = queries[:, :, i, :, None]                       # (b, h, d, 1)
            logits = keys[:, :, upto] @ now / self.width_of_head**0.5  # (b, h, i+1, 1)
            shares = logits.softmax(dim=-2)
            rows.append((shares * values[:, :, upto]).sum(-2))     # (b, h, d)
        context = torch.stack(rows, dim=1)                         # (b, t, h, d)
        return self.together(context.flatten(-2))
