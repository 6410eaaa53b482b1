# right: gqa-rope
import torch
import torch.nn as nn
import torch.nn.functional as F

def rotate(x, pos, base):
    # x is (B, T, hs)
    B, T, hs = x.shape
    i = torch.arange(hs // 2, device=x.device)
    theta = pos[:, None].double() * base ** (-2.0 * i.double() / hs) # (T, hs/2)
    cos = theta.cos().to(x.dtype)
    sin = theta.sin().to(x.dtype)
    x1 = x[:, :, :hs//2]
    x2 = x[:, :, hs//2:]
    return torch.cat([x1*cos - x2*sin, x2*cos + x1*sin], dim=-1)

class GroupedQueryAttentionWithRope(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        head_size = hidden_dim // num_heads
        self.query = nn.ModuleList([nn.Linear(hidden_dim, head_size, bias=False) for _ in range(num_heads)])
        self.key = nn.ModuleList([nn.Linear(hidden_dim, head_size, bias=False) for _ in range(num_kv_heads)])
        self.value = nn.ModuleList([nn.Linear(hidden_dim, head_size, bias=False) for _ in range(num_kv_heads)])
        self.proj = nn.Linear(head_size * num_heads, hidden_dim)
        self.base = base

    def forward(self, x, cache=None):
        B, T, C = x.shape
        t0 = 0
        if cache is not None:
            t0 = cache[0][0].shape[1]
        pos = torch.arange(t0, t0 + T, device=x.device)

        new_cache = []
        for g in range(len(self.key)):
            k = rotate(self.key[g](x), pos, self.base)
            v = self.value[g](x)
            if cache is not None:
                k = torch.cat([cache[g][0], k], dim=1)
                v = torch.cat([cache[g][1], v], dim=1)
            new_cache.append((k, v))

        outs = []
        r = len(self.query) // len(self.key)
        for h in range(len(self.query)):
            q = rotate(self.query[h](x), pos, self.base)
            k, v = new_cache[h // r]
            wei = q @ k.transpose(-2, -1) * q.shape[-1]**-0.5 # (B, T, S)
            ok = torch.arange(k.shape[1], device=x.device)[None, :] <= pos[:, None]
            wei = wei.masked_fill(~ok, float('-inf'))
            wei = F.softmax(wei, dim=-1)
            outs.append(wei @ v)
        return self.proj(torch.cat(outs, dim=-1)), new_cache
