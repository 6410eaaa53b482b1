import math
import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    """Two fused layers in front, two behind. A pair (cos, sin) is a complex number, unit or not."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.norms = nn.ModuleList(nn.RMSNorm(hidden_dim, eps=1e-5) for _ in range(2))
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    @staticmethod
    def _rotate(x, cos, sin):
        wide = torch.promote_types(x.dtype, torch.float32)
        a, b = x.to(wide).chunk(2, dim=-1)
        turn = torch.complex(cos.to(wide), sin.to(wide)).unsqueeze(1)         # (length, 1, d/2)
        z = torch.complex(a, b) * turn
        return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)

    def _attention(self, u, cos, sin):
        b, t, _ = u.shape
        heads = self.qkv(u).view(b, t, -1, self.d)
        qk, v = heads.split([self.h + self.g, self.g], dim=2)
        q, k = self._rotate(qk, cos, sin).split([self.h, self.g], dim=2)       # one rotation for both
        owner = torch.arange(self.h, device=u.device) // (self.h // self.g)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2)[:, owner], v.transpose(1, 2)[:, owner]
        s = q @ k.mT / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=u.device).triu(1), -math.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, -1))

    def _mlp(self, u):
        gate, up = self.gate_up(u).chunk(2, dim=-1)
        # GLU: first half times the sigmoid of the second
        return self.down(F.glu(torch.cat([gate * up, gate], dim=-1)))

    def forward(self, x, cos, sin):
        h = x + self._attention(self.norms[0](x), cos, sin)
        return h + self._mlp(self.norms[1](h))
