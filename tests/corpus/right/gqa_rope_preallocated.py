# right: gqa-rope
# fixed-size cache, copied before written
import torch
import torch.nn as nn

class GroupedQueryAttentionWithRope(nn.Module):
    MAX = 512
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0, dtype=None):
        super().__init__()
        self.nh, self.nk = num_heads, num_kv_heads
        self.dh = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.nk * self.dh)
        self.v_proj = nn.Linear(hidden_dim, self.nk * self.dh)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        inv = 1.0 / (base ** (torch.arange(0, self.dh, 2, dtype=torch.float64) / self.dh))
        self.register_buffer("ang", torch.arange(self.MAX)[:, None] * inv)

    def rope(self, z, idx):
        c, s = self.ang[idx].cos().to(z.dtype), self.ang[idx].sin().to(z.dtype)
        a, b = torch.chunk(z, 2, -1)
        return torch.cat((a * c - b * s, a * s + b * c), -1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        if cache is None:
            K = x.new_zeros(B, self.nk, self.MAX, self.dh); V = x.new_zeros(B, self.nk, self.MAX, self.dh); n = 0
        else:
            K, V, n = cache[0].clone(), cache[1].clone(), cache[2]
        idx = torch.arange(n, n + T, device=x.device)
        q = self.rope(self.q_proj(x).view(B, T, self.nh, -1).transpose(1, 2), idx)
        K[:, :, n:n + T] = self.rope(self.k_proj(x).view(B, T, self.nk, -1).transpose(1, 2), idx)
        V[:, :, n:n + T] = self.v_proj(x).view(B, T, self.nk, -1).transpose(1, 2)
        r = self.nh // self.nk
        w = q @ K.repeat_interleave(r, 1).mT / self.dh ** 0.5
        w = w.masked_fill(torch.arange(self.MAX, device=x.device) > idx[:, None], float("-inf")).softmax(-1)
        y = w @ V.repeat_interleave(r, 1)
        return self.o_proj(y.transpose(1, 2).flatten(2)), (K, V, n + T)
