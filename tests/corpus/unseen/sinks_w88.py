from __future__ import annotations
import torch
from torch import Tensor, nn


def softmax_with_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """scores (B, H, T, T), sink (H,): one more term in the denominator."""
    sink = sink.view(1, -1, 1, 1)
    peak = torch.maximum(scores.amax(dim=-1, keepdim=True), sink)
    numerator = torch.exp(scores - peak)
    denominator = numerator.sum(dim=-1, keepdim=True) + torch.exp(sink)
    return numerator / denominator


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink_logits = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            p(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        length = x.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = softmax_with_sink(scores.masked_fill(future, float("-inf")), self.sink_logits)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2))
