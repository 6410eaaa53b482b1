# attn-kata: llama-block
import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.nh, self.nkv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        lin = lambda i, o: nn.Linear(i, o, bias=False)
        self.qkv, self.o = lin(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd), lin(hidden_dim, hidden_dim)
        self.gate_up, self.down = lin(hidden_dim, 2 * mlp_dim), lin(mlp_dim, hidden_dim)
        self.n1, self.n2 = nn.RMSNorm(hidden_dim), nn.RMSNorm(hidden_dim)

    def forward(self, x, cos, sin):
        B, T, C = x.shape
        qkv = self.qkv(self.n1(x)).view(B, T, -1, self.hd).transpose(1, 2)
        qk, v = qkv.split([self.nh + self.nkv, self.nkv], 1)
        a, b = qk.chunk(2, -1)
        q, k = torch.cat([a * cos - b * sin, b * cos + a * sin], -1).split([self.nh, self.nkv], 1)
        k, v = (t.repeat_interleave(self.nh // self.nkv, 1) for t in (k, v))
        s = (q @ k.mT * self.hd ** -0.5).masked_fill(torch.ones(T, T, device=x.device).triu(1) == 1, -torch.inf)
        h = x + self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))
        g, u = self.gate_up(self.n2(h)).chunk(2, -1)
        return h + self.down(F.silu(g) * u)
