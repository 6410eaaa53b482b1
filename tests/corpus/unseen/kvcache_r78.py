import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """Channels first, as in my audio models: projections are convolutions of width 1."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.to_vqk = nn.Conv1d(hidden_dim, 3 * hidden_dim, kernel_size=1)
        self.back = nn.Conv1d(hidden_dim, hidden_dim, kernel_size=1)

    def forward(self, x, cache=None):
        new = self.to_vqk(x.mT).unflatten(1, (3, self.h, self.d))       # b 3 h d t
        v, q, k = new.unbind(1)
        if cache:
            k = torch.concat((cache["memory"]["k"], k), dim=-1)
            v = torch.concat((cache["memory"]["v"], v), dim=-1)
        t, s = q.shape[-1], k.shape[-1]
        # transposed scores: keys are rows, queries are columns
        dots = torch.einsum("bhds,bhdt->bhst", k, q) / self.d ** 0.5
        open_ = torch.ones(s, t, dtype=torch.bool, device=x.device).triu(-(s - t))
        dots = dots.where(open_, torch.tensor(float("-inf"), dtype=dots.dtype, device=x.device))
        share = torch.softmax(dots, dim=-2)
        context = torch.einsum("bhds,bhst->bhdt", v, share).flatten(1, 2)
        return self.back(context).mT, {"memory": {"k": k, "v": v}, "n": s}
