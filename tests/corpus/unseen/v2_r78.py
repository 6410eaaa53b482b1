import enum
from operator import itemgetter

import torch
import torch.nn.functional as F
from torch import nn


def export(fn):
    """Marks what other files may call; does nothing else."""
    fn.__exported__ = True
    return fn


class Role(enum.IntEnum):
    VALUE = 0
    KEY = 1
    QUERY = 2


pick = itemgetter(Role.QUERY, Role.KEY, Role.VALUE)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.in_proj = nn.Parameter(torch.empty(len(Role) * hidden_dim, hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        nn.init.xavier_uniform_(self.in_proj)

    @export
    def attend(self, query, key, value):
        scores = torch.bmm(query, key.transpose(1, 2)) / query.size(-1) ** 0.5
        return torch.bmm(F.softmax(scores, dim=-1), value)

    @export
    def forward(self, x):
        fused = F.linear(x, self.in_proj)  # (B, T, 3D), one product
        query, key, value = pick(fused.unflatten(-1, (len(Role), -1)).unbind(dim=-2))
        return self.out_proj(self.attend(query, key, value))


def _smoke():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        net = SelfAttentionV2(4)
        x = torch.randn(2, 3, 4)
        assert net(x).shape == x.shape
        flipped = net(x.flip(1)).flip(1)
        assert torch.allclose(net(x), flipped, atol=1e-5), "order must not matter"


_smoke()
