# wrong: gqa-rope rope-wrong-frequencies line 17
import torch, math
from torch import nn

class GroupedQueryAttentionWithRope(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh = num_heads; self.nkv = num_kv_heads; self.hd = hidden_dim // num_heads; self.base = base
        self.c_q = nn.Linear(hidden_dim, self.nh*self.hd)
        self.c_k = nn.Linear(hidden_dim, self.nkv*self.hd)
        self.c_v = nn.Linear(hidden_dim, self.nkv*self.hd)
        self.c_proj = nn.Linear(self.nh*self.hd, hidden_dim)

    def angles(self, t0, t1, device):
        i = torch.arange(self.hd // 2, device=device)
        theta = torch.exp(-math.log(self.base) * i.double() / self.hd)
        return torch.arange(t0, t1, device=device).double()[:, None] * theta

    def rope(self, z, ang):
        re, im = z.double().chunk(2, -1)
        z_ = torch.complex(re, im) * torch.polar(torch.ones_like(ang), ang)
        return torch.cat([z_.real, z_.imag], -1).to(z.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q = self.c_q(x).view(B, T, self.nh, self.hd).transpose(1, 2)
        k = self.c_k(x).view(B, T, self.nkv, self.hd).transpose(1, 2)
        v = self.c_v(x).view(B, T, self.nkv, self.hd).transpose(1, 2)
        P = cache[0].size(2) if cache else 0
        ang = self.angles(P, P+T, x.device)
        q, k = self.rope(q, ang), self.rope(k, ang)
        if cache:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        out_cache = [k, v]
        idx = torch.arange(self.nh, device=x.device) // (self.nh // self.nkv)
        k, v = k[:, idx], v[:, idx]
        a = (q @ k.transpose(2, 3)) / math.sqrt(self.hd)
        a = a + torch.full((T, P+T), float('-inf'), dtype=a.dtype, device=a.device).triu(P+1)
        a = a.softmax(-1)
        y = (a @ v).transpose(1, 2).reshape(B, T, -1)
        return self.c_proj(y), out_cache
