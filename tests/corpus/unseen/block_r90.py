"""Pre-norm by forward_pre_hook: the branches do not know that their inputs are normed."""
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width, branch):
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-5)
        self.branch = branch
        # whatever is handed to the branch goes through the norm first
        self.branch.register_forward_pre_hook(self._before)

    def _before(self, module, args):
        return (self.norm(args[0]), *args[1:])

    def forward(self, stream):
        return stream + self.branch(stream)


class Attend(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inn = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.inn(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        position = torch.arange(x.size(1), device=x.device)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k).mul(q.size(-1) ** -0.5)
        s = s.masked_fill(position > position.unsqueeze(1), torch.finfo(s.dtype).min)
        return self.out(torch.einsum("bhqk,bhkd->bqhd", s.softmax(3), v).flatten(2))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        super().__init__(
            Residual(hidden_dim, Attend(hidden_dim, num_heads)),
            Residual(
                hidden_dim,
                nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)),
            ),
        )
