import torch
import torch.nn as nn
from torch import Tensor


class HeadNorm(nn.Module):
    """RMSNorm of each head's vector."""

    def __init__(self, size: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(size))

    def forward(self, u: Tensor) -> Tensor:
        wide = u.float() if u.dtype in (torch.float16, torch.bfloat16) else u
        wide = wide / torch.sqrt(torch.mean(wide * wide, dim=-1, keepdim=True) + self.eps)
        return wide.to(u.dtype) * self.gain


class HeadProjection(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        b, t, w = x.shape
        return self.linear(x).view(b, t, self.heads, w // self.heads).permute(0, 2, 1, 3)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.query, self.key, self.value = (HeadProjection(hidden_dim, num_heads) for _ in range(3))
        self.query_norm, self.key_norm = HeadNorm(head_dim), HeadNorm(head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.scale = head_dim**-0.5

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        query = self.query_norm(self.query(x)) * self.scale
        key = self.key_norm(self.key(x))
        scores = torch.matmul(query, key.transpose(-2, -1))
        seen = torch.tril(torch.ones(length, length, device=x.device)).bool()
        weights = torch.where(seen, scores, float("-inf")).softmax(dim=-1)
        context = torch.matmul(weights, self.value(x)).permute(0, 2, 1, 3).contiguous()
        return self.output(context.view(x.shape))
