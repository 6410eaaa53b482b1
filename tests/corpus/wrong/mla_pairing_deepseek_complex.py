# wrong: mla rope-wrong-pairing line 16
# fair: rope-wrong-pairing 18, 41, 43
# DeepSeek's own rotary code: complex numbers over neighbours.
import torch
from torch import nn


def precompute_freqs_cis(dim, start, length, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
    t = torch.arange(start, start + length)
    return torch.polar(torch.ones(length, dim // 2), torch.outer(t, freqs))


def apply_rotary_emb(x, freqs_cis):
    dtype = x.dtype
    x = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    freqs_cis = freqs_cis.to(x.device).view(1, x.size(1), 1, x.size(-1))
    y = torch.view_as_real(x * freqs_cis).flatten(3)
    return y.to(dtype)


class MLA(nn.Module):
    def __init__(self, dim, n_heads, qk_nope_head_dim, qk_rope_head_dim, kv_lora_rank):
        super().__init__()
        self.n_heads = n_heads
        self.kv_lora_rank = kv_lora_rank
        self.qk_nope_head_dim = qk_nope_head_dim
        self.qk_rope_head_dim = qk_rope_head_dim
        self.wq = nn.Linear(dim, n_heads * (qk_nope_head_dim + qk_rope_head_dim))
        self.wkv_a = nn.Linear(dim, kv_lora_rank + qk_rope_head_dim)
        self.wkv_b = nn.Linear(kv_lora_rank, n_heads * 2 * qk_nope_head_dim, bias=False)
        self.wo = nn.Linear(n_heads * qk_nope_head_dim, dim)
        self.softmax_scale = (qk_nope_head_dim + qk_rope_head_dim) ** -0.5

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = 0 if cache is None else cache[0].size(1)
        freqs_cis = precompute_freqs_cis(self.qk_rope_head_dim, start_pos, seqlen)
        q = self.wq(x).view(bsz, seqlen, self.n_heads, -1)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = apply_rotary_emb(q_pe, freqs_cis)
        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = apply_rotary_emb(k_pe.unsqueeze(2), freqs_cis).squeeze(2)
        if cache is not None:
            kv, k_pe = torch.cat([cache[0], kv], 1), torch.cat([cache[1], k_pe], 1)
        wkv_b = self.wkv_b.weight.view(self.n_heads, -1, self.kv_lora_rank)
        q_nope = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, : self.qk_nope_head_dim])
        scores = torch.einsum("bshc,btc->bsht", q_nope, kv) + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
        scores = scores * self.softmax_scale
        end = kv.size(1)
        mask = torch.full((seqlen, end), float("-inf"), device=x.device).triu_(end - seqlen + 1)
        scores = (scores + mask.unsqueeze(1)).softmax(dim=-1, dtype=torch.float32).type_as(x)
        x = torch.einsum("bsht,btc->bshc", scores, kv)
        x = torch.einsum("bshc,hdc->bshd", x, wkv_b[:, self.qk_nope_head_dim :])
        return self.wo(x.flatten(2)), (kv, k_pe)
