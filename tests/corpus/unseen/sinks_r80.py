import math
import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Plain attention first; then each head's output is scaled by sigmoid(lse - sink), the share that the keys keep."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = num_heads
        self.sinks = nn.Parameter(torch.zeros(num_heads))
        self.wqkv = nn.Parameter(torch.randn(3, num_heads, hidden_dim // num_heads, hidden_dim) * hidden_dim**-0.5)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        n, t, c = x.shape
        q, k, v = torch.einsum("ntc,phdc->pnhtd", x, self.wqkv)
        s = torch.matmul(q, k.mT) / math.sqrt(q.shape[-1])
        s = s.masked_fill(torch.ones(t, t, device=x.device, dtype=torch.bool).triu(diagonal=1), -math.inf)
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        y = torch.matmul(torch.exp(s - lse), v)
        y = y * torch.sigmoid(lse - self.sinks[:, None, None])
        return self.wo(y.transpose(1, 2).reshape(n, t, c))
