# wrong: mla scale-without-sqrt line 33, causal-inverted line 35
# fair: causal-inverted 36
import torch
from torch import nn


class MLA(nn.Module):
    def __init__(self, dim, heads, head_dim, rope_dim, kv_lora_rank):
        super().__init__()
        self.heads, self.head_dim, self.rope_dim = heads, head_dim, rope_dim
        self.wq = nn.Linear(dim, heads * head_dim)
        self.wq_pe = nn.Linear(dim, heads * rope_dim)
        self.wkv_a = nn.Linear(dim, kv_lora_rank)
        self.wk_pe = nn.Linear(dim, rope_dim)
        self.wk_b = nn.Linear(kv_lora_rank, heads * head_dim)
        self.wv_b = nn.Linear(kv_lora_rank, heads * head_dim)
        self.wo = nn.Linear(heads * head_dim, dim)

    def pe(self, x, start):
        f = 10000 ** (-torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim)
        a = (torch.arange(x.shape[-2], device=x.device) + start)[:, None] * f
        l, r = x.chunk(2, -1)
        return torch.cat([l * a.cos() - r * a.sin(), r * a.cos() + l * a.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        start = 0 if cache is None else cache[0].shape[1]
        kv, k_pe = self.wkv_a(x), self.pe(self.wk_pe(x), start)
        if cache is not None:
            kv, k_pe = torch.cat([cache[0], kv], 1), torch.cat([cache[1], k_pe], 1)
        by = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        scores = by(self.wq(x)) @ by(self.wk_b(kv)).mT
        scores = scores + self.pe(by(self.wq_pe(x)), start) @ k_pe.mT[:, None]
        scores = scores / (self.head_dim + self.rope_dim)
        t, s = scores.shape[-2:]
        seen = torch.ones(t, s, device=x.device).triu(s - t)
        weights = scores.masked_fill(seen == 0, torch.finfo(scores.dtype).min).softmax(-1)
        return self.wo((weights @ by(self.wv_b(kv))).transpose(1, 2).flatten(2)), (kv, k_pe)
