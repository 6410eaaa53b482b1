"""Pre-norm by hooks: the norm is a forward_pre_hook of its branch, the residual a forward_hook."""
from functools import partial
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrize


class Transposed(nn.Module):
    """the weight is kept as (in, out)"""

    def forward(self, w: Tensor) -> Tensor:
        return w.t()

    def right_inverse(self, w: Tensor) -> Tensor:
        return w.t().contiguous()


def dense(a: int, b: int) -> nn.Linear:
    layer = nn.Linear(a, b)
    parametrize.register_parametrization(layer, "weight", Transposed())
    return layer


def _norm_first(norm, module, args):
    (x,) = args
    return (norm(x),)


class Branch(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.register_forward_pre_hook(lambda module, args: _norm_first(module.norm, module, args))


class Attention(Branch):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width)
        self.heads = heads
        self.q, self.k, self.v, self.o = (dense(width, width) for _ in range(4))

    def _split(self, x: Tensor) -> Tensor:
        return torch.stack(x.chunk(self.heads, dim=-1), dim=1)

    def forward(self, u: Tensor) -> Tensor:
        q, k, v = map(self._split, (self.q(u), self.k(u), self.v(u)))
        n = u.shape[1]
        scores = q @ k.mT * q.shape[-1] ** -0.5
        place = torch.arange(n, device=u.device)
        scores = torch.where(place <= place[:, None], scores, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1) @ v
        return self.o(torch.cat(mixed.unbind(1), dim=-1))


class Mlp(Branch):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.up, self.down = dense(width, 4 * width), dense(4 * width, width)
        self.activation = partial(F.gelu, approximate="none")

    def forward(self, u: Tensor) -> Tensor:
        return self.down(self.activation(self.up(u)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads)
        self.mlp = Mlp(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.add(x, self.attention(x))
        return torch.add(x, self.mlp(x))
