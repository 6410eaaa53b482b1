"""Formula first, numpy brain second."""
import math
import torch
from torch import nn, Tensor


def online_row(q_row: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    # q_row (B, D), keys/values (B, T, D)
    logits = torch.einsum("bd,btd->bt", q_row, keys)
    top = logits.amax(dim=1, keepdim=True)
    e = (logits - top).exp()
    return torch.einsum("bt,btd->bd", e, values) / e.sum(1, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.W = nn.ParameterDict(
            {
                name: nn.Parameter(torch.empty(hidden_dim, hidden_dim))
                for name in ("q", "k", "v")
            }
        )
        for w in self.W.values():
            nn.init.normal_(w, std=hidden_dim ** -0.5)

    @property
    def width(self):
        return self.W["q"].shape[0]

    def forward(self, x):
        q, k, v = (x @ self.W[n] for n in "qkv")
        q = q / math.sqrt(self.width)
        rows = [online_row(q[:, i], k, v) for i in range(x.size(1))]
        return torch.stack(rows, dim=1)
