import math

import torch


class Rope:
    def __init__(self, dim, device):
        self.f = torch.exp(torch.arange(0, dim, 2, device=device, dtype=torch.float32) * (-math.log(1e4) / dim))

    def __call__(self, x, p):
        theta = p[..., None].float() * self.f
        unit = torch.complex(theta.cos(), theta.sin())
        a, b = x.chunk(2, -1)
        if x.dtype == torch.float64:
            p64 = p[..., None].double() * torch.exp(torch.arange(self.f.numel(), dtype=torch.float64, device=x.device) * (-math.log(1e4) / self.f.numel()))
            unit = torch.complex(p64.cos(), p64.sin())
        else:
            a, b = a.float(), b.float()
        z = torch.view_as_real(torch.complex(a.contiguous(), b.contiguous()) * unit)
        return torch.cat(z.unbind(-1), -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    b, n, c = latent.shape
    out = latent.new_empty(b, n, c + key_rope.shape[-1])
    out[..., :c] = latent
    out[..., c:] = Rope(key_rope.shape[-1], latent.device)(key_rope, positions)
    return out


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, q, d = query_content.shape
    r, c = query_rope.shape[-1], kv_up.shape[-1]
    rows = kv_up.unflatten(0, (h, 2, d))
    at = lengths.view(-1, 1).to(cache.device) - torch.arange(q, 0, -1, device=cache.device)
    rot = Rope(r, cache.device)(query_rope, at[:, None])
    seen = torch.arange(cache.shape[1], device=cache.device) <= at[..., None]
    heads = []
    for i in range(h):
        toward = torch.einsum("bqd,dc->bqc", query_content[:, i], rows[i, 0])
        s = torch.einsum("bqc,bkc->bqk", toward, cache[..., :c]) + torch.einsum("bqr,bkr->bqk", rot[:, i], cache[..., c:])
        s = torch.where(seen, s * (d + r) ** -0.5, torch.finfo(s.dtype).min)
        mixed = torch.bmm(torch.softmax(s, dim=-1), cache[..., :c])
        heads.append(torch.einsum("bqc,dc->bqd", mixed, rows[i, 1]))
    return torch.stack(heads, 1)
