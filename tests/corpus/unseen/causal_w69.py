import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Raw matrices instead of nn.Linear, to see every product."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        std = hidden_dim ** -0.5

        # (hidden_dim, [q | k | v])
        self.W_in = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim)) * std
        self.b_in = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out = nn.Linear(hidden_dim, hidden_dim)

        rows = torch.arange(block_size)
        self.register_buffer("allowed", rows.unsqueeze(1) >= rows.unsqueeze(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        n_batch, n_steps, n_cols = x.shape
        table = x @ self.W_in + self.b_in
        q, k, v = (
            part.reshape(n_batch, n_steps, self.num_heads, self.head_dim).swapaxes(1, 2)
            for part in table.split(n_cols, dim=-1)
        )
        scores = q @ k.swapaxes(2, 3) / self.head_dim**0.5
        allowed = self.allowed[:n_steps, :n_steps]
        scores = scores.where(allowed, float("-inf"))
        weights = scores.softmax(dim=-1)
        return self.out((weights @ v).swapaxes(1, 2).reshape(n_batch, n_steps, n_cols))


if __name__ == "__main__":
    layer = CausalSelfAttention(16, 4, 10)
    x = torch.randn(2, 10, 16)
    print(torch.allclose(layer(x)[:, :6], layer(x[:, :6]), atol=1e-6))
