# Gemma's habit: gains stored less one; layout per head: key, value, query
import torch
from torch import nn
from torch.nn import functional as F


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.stack = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.join = nn.Linear(hidden_dim, hidden_dim)
        self.less_one = nn.Parameter(torch.zeros(2, hidden_dim // num_heads))

    @staticmethod
    def _unit(u, gain):
        # x / sqrt(|x|²/d + eps) = sqrt(d) * x / sqrt(|x|² + d*eps)
        d = u.shape[-1]
        return u * (d ** 0.5) / (torch.einsum("...d,...d->...", u, u) + d * 1e-6).sqrt()[..., None] * (1 + gain)

    def forward(self, x):
        k, v, q = self.stack(x).unflatten(-1, (self.n, 3, -1)).movedim(1, 2).unbind(3)
        q, k = self._unit(q, self.less_one[0]), self._unit(k, self.less_one[1])
        d, T = q.shape[-1], x.shape[1]
        ban = torch.zeros(T, T, dtype=x.dtype, device=x.device)
        ban[tuple(torch.triu_indices(T, T, 1, device=x.device))] = -torch.inf
        w = F.softmax(torch.matmul(q, k.mT) / d ** 0.5 + ban, dim=-1)
        return self.join((w @ v).movedim(1, 2).flatten(2))
