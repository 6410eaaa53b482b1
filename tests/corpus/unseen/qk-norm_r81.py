import math
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


class PlusOne(nn.Module):
    """Gemma's way: what is stored is the gain less 1"""

    def forward(self, g: Tensor) -> Tensor:
        return g + 1

    def right_inverse(self, g: Tensor) -> Tensor:
        return g - 1


class HeadNorm(nn.Module):
    def __init__(self, d: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps
        parametrize.register_parametrization(self, "weight", PlusOne())

    def forward(self, u: Tensor) -> Tensor:
        dtype = u.dtype
        u = u.to(torch.promote_types(dtype, torch.float32))
        power = torch.nn.functional.avg_pool1d(u.flatten(0, -2).square().unsqueeze(1), u.shape[-1])   # mean square
        u = u * torch.rsqrt(power.view(*u.shape[:-1], 1) + self.eps)
        return (u * self.weight).to(dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.in_proj = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim, bias=i == 2) for i in range(3))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_norm, self.k_norm = HeadNorm(hidden_dim // num_heads), HeadNorm(hidden_dim // num_heads)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (p(x).unflatten(-1, (self.h, -1)) for p in self.in_proj)        # (b, t, h, d)
        q, k = self.q_norm(q), self.k_norm(k)
        s = torch.einsum("bihd,bjhd->hbij", q, k) / math.sqrt(q.shape[-1])
        t = x.shape[1]
        i, j = torch.triu_indices(t, t, 1, device=x.device)
        later = torch.zeros(t, t, dtype=torch.bool, device=x.device)
        later[i, j] = True
        w = s.masked_fill(later, -math.inf).softmax(-1)
        return self.out_proj(torch.einsum("hbij,bjhd->bihd", w, v).flatten(2))
