# wrong: mla state-too-large line 42
# fair: state-too-large 36, 37
# Numbers are right; what is cached are full keys and values, head by head.
import torch
import torch.nn as nn


class MLA(nn.Module):
    def __init__(self, d_model, n_heads, d_h, d_r, d_c):
        super().__init__()
        self.n_heads, self.d_h, self.d_r = n_heads, d_h, d_r
        self.q_proj = nn.Linear(d_model, n_heads * (d_h + d_r))
        self.kv_down = nn.Linear(d_model, d_c)
        self.kv_up = nn.Linear(d_c, n_heads * 2 * d_h)
        self.k_rope = nn.Linear(d_model, d_r)
        self.o_proj = nn.Linear(n_heads * d_h, d_model)

    def rope(self, x, offset):
        half = self.d_r // 2
        inv_freq = 10000.0 ** (-torch.arange(half, device=x.device) / half)
        pos = torch.arange(offset, offset + x.shape[-2], device=x.device)
        ang = pos.unsqueeze(-1) * inv_freq
        x1, x2 = x[..., :half], x[..., half:]
        return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x1 * ang.sin() + x2 * ang.cos()], -1).to(x.dtype)

    def forward(self, x, kv_cache=None):
        b, t, _ = x.shape
        offset = kv_cache[0].shape[2] if kv_cache is not None else 0
        q = self.q_proj(x).view(b, t, self.n_heads, -1).transpose(1, 2)
        q_c, q_r = q.split([self.d_h, self.d_r], -1)
        q = torch.cat([q_c, self.rope(q_r, offset)], -1)
        k_c, v = self.kv_up(self.kv_down(x)).view(b, t, self.n_heads, -1).transpose(1, 2).chunk(2, -1)
        k_r = self.rope(self.k_rope(x), offset).unsqueeze(1).expand(-1, self.n_heads, -1, -1)
        k = torch.cat([k_c, k_r], -1)
        if kv_cache is not None:
            k = torch.cat([kv_cache[0], k], 2)
            v = torch.cat([kv_cache[1], v], 2)
        s = k.shape[2]
        att = q @ k.transpose(-1, -2) / (self.d_h + self.d_r) ** 0.5
        att = att.masked_fill(torch.ones(t, s, device=x.device).triu(s - t + 1).bool(), float("-inf"))
        y = att.softmax(-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(b, t, -1)), (k, v)
