import torch
import torch.nn as nn


def precompute(dim, start, stop, device):
    inv = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, device=device, dtype=torch.float64) / dim))
    ang = torch.outer(torch.arange(start, stop, device=device, dtype=torch.float64), inv)
    return torch.polar(torch.ones_like(ang), ang)


def apply_rotary_emb(x, freqs_cis):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    z = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous())
    y = torch.view_as_real(z * freqs_cis.to(z.dtype))
    return y.flatten(-2).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: the latent itself is what every head attends to."""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads, self.nope, self.pe, self.rank = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wkv_b = nn.Parameter(torch.randn(num_heads, 2 * head_dim, latent_dim) * latent_dim**-0.5)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.softmax_scale = (head_dim + rope_dim) ** -0.5

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start = 0 if cache is None else cache[0].size(1)
        end = start + seqlen
        freqs_cis = precompute(self.pe, start, end, x.device)
        q = self.wq(x).view(bsz, seqlen, self.n_heads, -1)
        q_nope, q_pe = torch.split(q, [self.nope, self.pe], dim=-1)
        q_pe = apply_rotary_emb(q_pe.transpose(1, 2), freqs_cis).transpose(1, 2)
        kv, k_pe = torch.split(self.wkv_a(x), [self.rank, self.pe], dim=-1)
        k_pe = apply_rotary_emb(k_pe, freqs_cis)
        if cache is not None:
            kv = torch.cat((cache[0], kv), dim=1)
            k_pe = torch.cat((cache[1], k_pe), dim=1)
        q_nope = torch.einsum("bshd,hdc->bshc", q_nope, self.wkv_b[:, : self.nope])
        scores = torch.einsum("bshc,btc->bsht", q_nope, kv) + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
        scores = scores * self.softmax_scale
        mask = torch.full((seqlen, end), float("-inf"), device=x.device).triu_(start + 1)
        scores = scores + mask[None, :, None].to(scores.dtype)
        scores = scores.softmax(dim=-1)
        o = torch.einsum("bsht,btc->bshc", scores, kv)
        o = torch.einsum("bshc,hdc->bshd", o, self.wkv_b[:, self.nope :])
        return self.wo(o.flatten(2)), (kv, k_pe)
