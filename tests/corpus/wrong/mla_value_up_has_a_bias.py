# wrong: mla
import torch
from torch import nn


def _half_rope(x, pos):
    """x (B, T, ..., R), pos (T,)"""
    R = x.size(-1)
    inv = torch.pow(10000.0, -torch.arange(0, R, 2, device=x.device, dtype=torch.float64) / R)
    th = torch.einsum("t,r->tr", pos.double(), inv)
    th = th.view(1, th.size(0), *([1] * (x.dim() - 3)), th.size(1))
    c, s = th.cos().to(x.dtype), th.sin().to(x.dtype)
    x1, x2 = torch.split(x, R // 2, dim=-1)
    return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], dim=-1)


class LatentProjector(nn.Module):
    def __init__(self, hidden_dim, rope_dim, latent_dim):
        super().__init__()
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.rope_key = nn.Linear(hidden_dim, rope_dim)

    def forward(self, x, pos):
        return self.down(x), _half_rope(self.rope_key(x), pos)


class QueryProjector(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim):
        super().__init__()
        self.num_heads = num_heads
        self.content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.rope = nn.Linear(hidden_dim, num_heads * rope_dim)

    def forward(self, x, pos):
        qc = self.content(x).unflatten(-1, (self.num_heads, -1))
        qr = self.rope(x).unflatten(-1, (self.num_heads, -1))
        return qc, _half_rope(qr, pos)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.latent_dim = latent_dim
        self.queries = QueryProjector(hidden_dim, num_heads, head_dim, rope_dim)
        self.latents = LatentProjector(hidden_dim, rope_dim, latent_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)
        self.scale = (head_dim + rope_dim) ** -0.5

    def forward(self, x, cache=None):
        past = cache[0].size(1) if cache is not None else 0
        pos = torch.arange(past, past + x.size(1), device=x.device)
        c, kr = self.latents(x, pos)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        qc, qr = self.queries(x, pos)
        rope_scores = torch.einsum("bthr,bsr->bhts", qr, kr)
        attend = self.decode if x.size(1) == 1 else self.prefill
        heads = attend(qc, rope_scores, c, pos)
        return self.out(heads.flatten(2)), (c, kr)

    def prefill(self, qc, rope_scores, c, pos):
        k = self.key_up(c).unflatten(-1, (self.num_heads, -1))
        v = self.value_up(c).unflatten(-1, (self.num_heads, -1))
        scores = (torch.einsum("bthd,bshd->bhts", qc, k) + rope_scores) * self.scale
        hidden = torch.arange(c.size(1), device=c.device)[None] > pos[:, None]
        probs = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return torch.einsum("bhts,bshd->bthd", probs, v)

    def decode(self, qc, rope_scores, c, pos):
        # a key bias would add the same to every score of a query: softmax does not see it
        wk = self.key_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        wv = self.value_up.weight.view(self.num_heads, self.head_dim, self.latent_dim)
        ql = torch.einsum("bthd,hdl->bthl", qc, wk)
        probs = ((torch.einsum("bthl,bsl->bhts", ql, c) + rope_scores) * self.scale).softmax(-1)
        ctx = torch.einsum("bhts,bsl->bthl", probs, c)
        return torch.einsum("bthl,hdl->bthd", ctx, wv)
