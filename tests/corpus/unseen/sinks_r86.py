import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Plain causal attention, scaled afterwards.

    With L = log Σ exp(scores) a row with a sink has Σ exp(scores) / (Σ exp(scores) + exp(sink)) of what
    it has without one, and that is sigmoid(L - sink): no column is put on and taken off.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.per_head = hidden_dim // num_heads
        self.sink = nn.Parameter(torch.zeros(num_heads, 1, 1))
        self.inputs = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3)])
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = [layer(x).unflatten(-1, (-1, self.per_head)).movedim(-2, 1) for layer in self.inputs]
        wide = torch.promote_types(x.dtype, torch.float32)         # logarithms are kept in float32 or wider
        scores = torch.matmul(q * self.per_head**-0.5, k.mT).to(wide)
        index = torch.arange(x.shape[1], device=x.device)
        scores = scores.masked_fill(torch.lt(index[:, None], index[None, :]), float("-inf"))
        lse = scores.logsumexp(dim=-1, keepdim=True)
        kept = torch.sigmoid(lse - self.sink)
        context = (torch.exp(scores - lse) * kept).to(v.dtype) @ v
        return self.output(context.movedim(1, -2).flatten(-2))
