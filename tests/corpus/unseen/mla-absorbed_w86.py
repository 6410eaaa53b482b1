from functools import lru_cache
import torch

BASE = 10000.0


@lru_cache(maxsize=None)
def frequencies(dim):
    return tuple(BASE ** (-2 * i / dim) for i in range(dim // 2))


def rope(t, pos):
    f = torch.tensor(frequencies(t.shape[-1]), dtype=torch.float64, device=t.device)
    a = pos.to(torch.float64).unsqueeze(-1) * f
    x, y = t.tensor_split(2, dim=-1)
    c, s = a.cos().to(t.dtype), a.sin().to(t.dtype)
    return torch.cat((x * c - y * s, y * c + x * s), dim=-1)


def query_positions(lengths, n_query, n_key):
    back = torch.arange(n_query, 0, -1, device=lengths.device)
    end = torch.full_like(lengths, n_key)
    return end[:, None] - back


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, rope(key_rope, positions)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, n, d = query_content.shape
    m = cache.shape[1]
    rank = kv_up.shape[1]
    w_k, w_v = kv_up.view(h, 2 * d, rank).split(d, dim=1)

    pos = query_positions(lengths, n, m)
    q_latent = torch.einsum("bhnd,hdr->bhnr", query_content, w_k)
    q = torch.cat((q_latent, rope(query_rope, pos.unsqueeze(1))), dim=-1)
    q = q * (d + query_rope.shape[-1]) ** -0.5
    # fold the heads into the queries: one matrix product a sequence
    s = torch.bmm(q.reshape(b, h * n, -1), cache.transpose(1, 2)).view(b, h, n, m)
    index = torch.arange(m, device=cache.device)
    keep = (index <= pos[..., None]) & (index < lengths[:, None, None])
    s = torch.where(keep.unsqueeze(1), s, torch.finfo(s.dtype).min)
    c = torch.bmm(s.softmax(-1).view(b, h * n, m), cache[..., :rank]).view(b, h, n, rank)
    return torch.einsum("bhnr,hdr->bhnd", c, w_v)
