import math
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3, bias=True)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    @staticmethod
    def keys_share(scores: torch.Tensor, sinks: torch.Tensor) -> torch.Tensor:
        """What is left of each row for the keys, once the sink has taken its part."""
        lse = scores.logsumexp(dim=-1, keepdim=True)  # (b, h, t, 1)
        return torch.sigmoid(sinks.view(1, -1, 1, 1) - lse)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        qkv = self.qkv_proj(x).view(b, t, 3, self.num_heads, self.head_dim)
        query, key, value = (m.transpose(1, 2) for m in qkv.unbind(dim=2))

        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.head_dim)
        visible = torch.ones(t, t, device=x.device, dtype=torch.bool).tril()
        scores = scores.masked_fill(visible.logical_not(), -torch.inf)

        # softmax over [scores | sink] without its last column
        weights = scores.softmax(dim=-1) * self.keys_share(scores, self.sinks)
        context = torch.matmul(weights, value)
        return self.o_proj(context.transpose(1, 2).reshape(b, t, c))
