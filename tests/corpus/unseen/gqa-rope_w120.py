import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    # heads of the fused projection: q_0 .. q_{H-1}  k_0 .. k_{G-1}  v_0 .. v_{G-1}
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.G, self.D, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.D, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def cos_sin(self, start, stop, x):
        theta = 1.0 / self.base ** (torch.arange(0, self.D, 2, device=x.device, dtype=torch.float64) / self.D)
        phi = torch.arange(start, stop, device=x.device).double().outer(theta).repeat(1, 2)
        dt = torch.promote_types(x.dtype, torch.float32)
        return phi.cos().to(dt), phi.sin().to(dt)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = cache.shape[2] if cache is not None else 0
        heads = self.wqkv(x).view(B, T, -1, self.D).transpose(1, 2)

        # q and k are turned in one go
        cos, sin = self.cos_sin(start, start + T, x)
        qk, rest = heads[:, :-1], heads[:, -1:]
        swapped = torch.cat([-qk[..., self.D // 2:], qk[..., :self.D // 2]], -1)
        heads = torch.cat([(qk * cos + swapped * sin).to(rest.dtype), rest], 1)

        q, kv = heads[:, :self.H], heads[:, self.H:]
        if cache is not None:
            kv = torch.cat([cache, kv], 2)
        k, v = (t.repeat_interleave(self.H // self.G, 1) for t in kv.chunk(2, 1))

        att = torch.einsum("bhtd,bhsd->bhts", q, k) / self.D**0.5
        ahead = torch.arange(kv.shape[2], device=x.device) > torch.arange(start, start + T, device=x.device)[:, None]
        att = att.masked_fill(ahead, -float("inf")).softmax(-1)
        return self.wo(torch.einsum("bhts,bhsd->bthd", att, v).flatten(2)), kv
