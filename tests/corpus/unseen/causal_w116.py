import torch
from torch import nn


def causal_bias(n: int) -> torch.Tensor:
    minus_inf = torch.full((n, n), float("-inf"))
    return minus_inf.tril(diagonal=-1)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = num_heads
        self.wq, self.wk, self.wv, self.wo = (
            nn.Parameter(nn.init.xavier_normal_(torch.empty(hidden_dim, hidden_dim))) for _ in range(4)
        )
        self.register_buffer("bias", causal_bias(block_size), persistent=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = ((x @ w).unflatten(-1, (self.heads, -1)) for w in (self.wq, self.wk, self.wv))
        logits = torch.einsum("bihc,bjhc->bhij", q, k) * q.shape[-1] ** -0.5
        probs = (logits + self.bias[:n, :n].to(logits.dtype)).softmax(dim=-1)
        return torch.einsum("bhij,bjhc->bihc", probs, v).flatten(2) @ self.wo
