# One sequence at a time, one complex rotation for keys and queries, and only the entries that count.
import torch


def rotate(x, places):
    """x (..., n, r), places (n,)"""
    wide = torch.promote_types(x.dtype, torch.float32)
    half = x.shape[-1] // 2
    speed = 10000.0 ** (torch.arange(half, device=x.device, dtype=torch.float64) / -half)
    angle = places.double()[:, None] * speed
    z = torch.complex(*x.to(wide).tensor_split(2, -1)) * torch.complex(angle.cos().to(wide), angle.sin().to(wide))
    return torch.cat([z.real, z.imag], -1)


def cache_entries(latent, key_rope, positions):
    turned = torch.stack([rotate(k, p) for k, p in zip(key_rope, positions)])
    return torch.cat([latent, turned.to(latent.dtype)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    batch, heads, n, d = query_content.shape
    r, l = query_rope.shape[-1], cache.shape[-1] - query_rope.shape[-1]
    wide = torch.promote_types(cache.dtype, torch.float32)
    up_k, up_v = kv_up.to(wide).view(heads, 2, d, l).unbind(1)
    out = []
    for qc, qr, entries, length in zip(query_content, query_rope, cache, lengths.tolist()):
        places = torch.arange(length - n, length, device=cache.device)
        q = torch.cat([torch.einsum("hqd,hdl->hql", qc.to(wide), up_k), rotate(qr, places)], -1)
        e = entries[:length].to(wide)
        s = torch.einsum("hqe,ke->hqk", q, e) * (d + r) ** -0.5
        s = s.masked_fill(torch.arange(length, device=cache.device) > places[:, None], float("-inf"))
        mean = torch.einsum("hqk,kl->hql", s.softmax(-1), e[:, :l])
        out.append(torch.einsum("hql,hdl->hqd", mean, up_v))
    return torch.stack(out).to(query_content.dtype)
