import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """b batch, t/s positions, g kv heads, r query heads of a kv head, c channels."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.c = hidden_dim // num_heads
        self.attn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.mlp_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.wq = nn.Linear(hidden_dim, num_heads * self.c, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.c, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.c, bias=False)
        self.wo = nn.Linear(num_heads * self.c, hidden_dim, bias=False)
        self.gate = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    @staticmethod
    def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos + b * sin, b * cos + a * sin], dim=-1)

    def attend(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q = self.wq(u).unflatten(-1, (self.g, self.r, self.c)).permute(0, 2, 3, 1, 4)
        k = self.wk(u).unflatten(-1, (self.g, self.c)).transpose(1, 2)
        v = self.wv(u).unflatten(-1, (self.g, self.c)).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        s = torch.einsum("bgrtc,bgsc->bgrts", q, k) * self.c**-0.5
        t = u.shape[1]
        s = s + torch.full((t, t), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        y = torch.einsum("bgrts,bgsc->btgrc", s.softmax(dim=-1), v)
        return self.wo(y.flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attend(self.attn_norm(x), cos, sin)
        u = self.mlp_norm(h)
        return h + self.down(F.silu(self.gate(u)) * self.up(u))
