# right: mla
# A configuration, and a cache of fixed size that is copied before it is written.
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ModelArgs:
    dim: int = 64
    n_heads: int = 4
    kv_lora_rank: int = 16
    qk_nope_head_dim: int = 8
    qk_rope_head_dim: int = 4
    v_head_dim: int = 8
    max_seq_len: int = 128
    rope_theta: float = 10000.0


class MLA(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        a = args
        self.wq = nn.Linear(a.dim, a.n_heads * (a.qk_nope_head_dim + a.qk_rope_head_dim))
        self.wkv_a = nn.Linear(a.dim, a.kv_lora_rank + a.qk_rope_head_dim)
        self.wkv_b = nn.Linear(a.kv_lora_rank, a.n_heads * (a.qk_nope_head_dim + a.v_head_dim))
        self.wo = nn.Linear(a.n_heads * a.v_head_dim, a.dim)
        self.softmax_scale = (a.qk_nope_head_dim + a.qk_rope_head_dim) ** -0.5

    def rotary(self, x, start):
        a = self.args
        inv = 1.0 / a.rope_theta ** (torch.arange(0, a.qk_rope_head_dim, 2) / a.qk_rope_head_dim)
        t = torch.arange(start, start + x.size(1))
        freqs = torch.outer(t, inv).to(x.device)[:, None]
        x1, x2 = x.float().chunk(2, dim=-1)
        cos, sin = freqs.cos(), freqs.sin()
        return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).type_as(x)

    def forward(self, x, cache=None):
        a = self.args
        bsz, seqlen, _ = x.size()
        if cache is None:
            start, kv, pe = 0, x.new_zeros(bsz, 512, a.kv_lora_rank), x.new_zeros(bsz, 512, a.qk_rope_head_dim)
        else:
            start, kv, pe = cache["pos"], cache["kv"].clone(), cache["pe"].clone()
        end = start + seqlen
        q = self.wq(x).view(bsz, seqlen, a.n_heads, -1)
        q_nope, q_pe = q.split([a.qk_nope_head_dim, a.qk_rope_head_dim], dim=-1)
        q_pe = self.rotary(q_pe, start)
        c, k_pe = self.wkv_a(x).split([a.kv_lora_rank, a.qk_rope_head_dim], dim=-1)
        kv[:, start:end] = c
        pe[:, start:end] = self.rotary(k_pe.unsqueeze(2), start).squeeze(2)
        up = self.wkv_b(kv[:, :end]).view(bsz, end, a.n_heads, -1)
        k_nope, v = up.split([a.qk_nope_head_dim, a.v_head_dim], dim=-1)
        k = torch.cat([k_nope, pe[:, :end].unsqueeze(2).expand(-1, -1, a.n_heads, -1)], dim=-1)
        q = torch.cat([q_nope, q_pe], dim=-1)
        scores = torch.einsum("bshd,bthd->bsht", q, k) * self.softmax_scale
        if seqlen > 1:
            mask = torch.full((seqlen, end), float("-inf"), device=x.device).triu_(start + 1)
            scores += mask.unsqueeze(1).to(scores.dtype)
        scores = scores.softmax(dim=-1)
        out = torch.einsum("bsht,bthd->bshd", scores, v)
        return self.wo(out.flatten(2)), {"pos": end, "kv": kv, "pe": pe}
