# wrong: mla scale-by-latent-dim line 68
# fair: scale-by-latent-dim 64
import math

import torch
from torch import nn


def precompute_freqs_cis(dim, start, end, device, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float32, device=device) / dim))
    freqs = torch.outer(torch.arange(start, end, device=device).float(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(x, freqs_cis):
    re, im = x.float().chunk(2, dim=-1)
    y = torch.complex(re.contiguous(), im.contiguous()) * freqs_cis[None, :, None, :]
    return torch.cat([y.real, y.imag], dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.kv_lora_rank = latent_dim
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.v_head_dim = head_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wkv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = 0 if cache is None else cache[0].size(1)
        end_pos = start_pos + seqlen
        freqs_cis = precompute_freqs_cis(self.qk_rope_head_dim, start_pos, end_pos, x.device)

        q = self.wq(x).view(bsz, seqlen, self.n_heads, -1)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = apply_rotary_emb(q_pe, freqs_cis)
        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = apply_rotary_emb(k_pe.unsqueeze(2), freqs_cis).squeeze(2)
        if cache is not None:
            kv = torch.cat([cache[0], kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        new_cache = (kv, k_pe)

        if seqlen > 1:
            # naive: make the keys and values
            q = torch.cat([q_nope, q_pe], dim=-1)
            kv = self.wkv_b(kv).view(bsz, end_pos, self.n_heads, self.qk_nope_head_dim + self.v_head_dim)
            k_nope, v = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
            k = torch.cat([k_nope, k_pe.unsqueeze(2).expand(-1, -1, self.n_heads, -1)], dim=-1)
            scores = torch.einsum("bshd,bthd->bsht", q, k) / math.sqrt(q.size(-1))
            mask = torch.full((seqlen, end_pos), float("-inf"), device=x.device).triu_(start_pos + 1)
            scores = (scores + mask.unsqueeze(1)).softmax(dim=-1, dtype=torch.float32).type_as(x)
            out = torch.einsum("bsht,bthd->bshd", scores, v)
        else:
            # absorb: queries go down to the latent
            wkv_b = self.wkv_b.weight.view(self.n_heads, -1, self.kv_lora_rank)
            q_nope = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, :self.qk_nope_head_dim])
            q = torch.cat([q_nope, q_pe], dim=-1)
            scores = torch.einsum("bshc,btc->bsht", q_nope, kv)
            scores = scores + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
            # one query, all positions are visible to it
            scores = scores / math.sqrt(q.size(-1))
            scores = scores.softmax(dim=-1, dtype=torch.float32).type_as(x)
            out = torch.einsum("bsht,btc->bshc", scores, kv)
            out = torch.einsum("bshc,hdc->bshd", out, wkv_b[:, -self.v_head_dim:])
        return self.wo(out.flatten(2)), new_cache
