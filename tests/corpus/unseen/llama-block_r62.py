"""One matrix in, one matrix out, groups kept as an axis of their own, nothing repeated."""
import torch
from torch import nn
from torch.nn import functional as F


def turn(u, cos, sin):
    # u: (..., length, head_dim) seen as (..., length, 2, head_dim/2)
    a, b = u.unflatten(-1, (2, -1)).unbind(-2)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.shape = (num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads)
        kv, group, size = self.shape
        scale = hidden_dim**-0.5
        # for each kv head: `group` queries, then its key, then its value (Falcon's layout)
        self.qkv = nn.Parameter(torch.randn(kv * (group + 2) * size, hidden_dim) * scale)
        self.wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * scale)
        self.gate_up = nn.Parameter(torch.randn(2, mlp_dim, hidden_dim) * scale)
        self.w_down = nn.Parameter(torch.randn(hidden_dim, mlp_dim) * mlp_dim**-0.5)
        self.norm_weights = nn.Parameter(torch.ones(2, hidden_dim))

    @property
    def gate(self):
        return self.gate_up[0]

    @property
    def up(self):
        return self.gate_up[1]

    def rms(self, x, which):
        return F.rms_norm(x, (x.shape[-1],), self.norm_weights[which], eps=1e-5)

    def attention(self, x, cos, sin):
        kv, group, size = self.shape
        joined = F.linear(x, self.qkv).unflatten(-1, (kv, group + 2, size))
        q, k, v = joined.permute(0, 2, 3, 1, 4).split((group, 1, 1), dim=2)  # b kv g t d
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        n = x.shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = q @ k.mT / size**0.5  # k has a group axis of 1
        context = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
        return F.linear(context.flatten(1, 2).transpose(1, 2).flatten(2), self.wo)

    def mlp(self, u):
        z = F.linear(u, self.gate)
        # glu multiplies its first half by the sigmoid of the second, so z * glu([up, z]) is silu(z) * up
        return F.linear(z * F.glu(torch.cat((F.linear(u, self.up), z), dim=-1)), self.w_down)

    def forward(self, x, cos, sin):
        cos, sin = cos.to(x), sin.to(x)
        h = x + self.attention(self.rms(x, 0), cos, sin)
        return h + self.mlp(self.rms(h, 1))
