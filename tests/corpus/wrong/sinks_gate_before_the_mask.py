# wrong: sinks sink-before-mask line 27
import math
import torch
from torch import Tensor, nn


def causal_(scores: Tensor) -> Tensor:
    n = scores.shape[-1]
    future = torch.ones(n, n, dtype=torch.bool, device=scores.device).triu_(1)
    return scores.masked_fill(future, -math.inf)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wkv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sink_bias = nn.Parameter(torch.full((num_heads,), 0.5))

    def forward(self, x: Tensor) -> Tensor:
        q = self.wq(x).unflatten(-1, (self.H, self.D)).transpose(1, 2)
        k, v = self.wkv(x).unflatten(-1, (2, self.H, self.D)).permute(2, 0, 3, 1, 4)

        scores = torch.matmul(q, k.mT).div(math.sqrt(self.D))
        lse = scores.logsumexp(-1, keepdim=True)
        # softmax over [scores | sink] = softmax over the scores, times what the sink leaves
        left = torch.sigmoid(lse - self.sink_bias.view(-1, 1, 1))
        weights = torch.softmax(causal_(scores), dim=-1) * left
        return self.wo(torch.matmul(weights, v).transpose(1, 2).flatten(2))
