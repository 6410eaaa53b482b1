# wrong: mla norm-added line 39
# fair: norm-added 15
# DeepSeek's kv_a_layernorm, which this kata does not ask for.
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class MLA(nn.Module):
    def __init__(self, dim, n_heads, qk_nope_head_dim, qk_rope_head_dim, kv_lora_rank):
        super().__init__()
        self.n, self.d, self.r, self.c = n_heads, qk_nope_head_dim, qk_rope_head_dim, kv_lora_rank
        self.q_proj = nn.Linear(dim, n_heads * (self.d + self.r), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(dim, self.c + self.r, bias=False)
        self.kv_a_layernorm = RMSNorm(kv_lora_rank)
        self.kv_b_proj = nn.Linear(kv_lora_rank, n_heads * 2 * self.d, bias=False)
        self.o_proj = nn.Linear(n_heads * self.d, dim, bias=False)

    def rope(self, x, start):
        f = 10000 ** (-torch.arange(0, self.r, 2, device=x.device) / self.r)
        a = torch.arange(start, start + x.shape[-2], device=x.device)[:, None] * f
        u, w = x.chunk(2, -1)
        return torch.cat([u * a.cos() - w * a.sin(), w * a.cos() + u * a.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        q_nope, q_pe = self.q_proj(x).view(b, t, self.n, -1).transpose(1, 2).split([self.d, self.r], -1)
        c, k_pe = self.kv_a_proj_with_mqa(x).split([self.c, self.r], -1)
        c = self.kv_a_layernorm(c)
        q_pe, k_pe = self.rope(q_pe, start), self.rope(k_pe, start)
        if cache is not None:
            c, k_pe = torch.cat([cache[0], c], 1), torch.cat([cache[1], k_pe], 1)
        s = c.shape[1]
        k, v = self.kv_b_proj(c).view(b, s, self.n, -1).transpose(1, 2).chunk(2, -1)
        scores = (q_nope @ k.mT + q_pe @ k_pe.mT.unsqueeze(1)) * (self.d + self.r) ** -0.5
        mask = torch.ones(t, s, dtype=torch.bool, device=x.device).tril(s - t)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2)), (c, k_pe)
