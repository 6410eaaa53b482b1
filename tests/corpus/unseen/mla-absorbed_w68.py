import torch


def cache_entries(latent, key_rope, positions):
    rd = key_rope.shape[-1]
    f = torch.pow(10000.0, -torch.arange(0, rd, 2, device=latent.device).double() / rd)
    phase = torch.exp(1j * positions[..., None].double() * f)
    z = torch.complex(key_rope[..., :rd // 2].double(), key_rope[..., rd // 2:].double()) * phase
    return torch.cat([latent, z.real.to(latent.dtype), z.imag.to(latent.dtype)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bs, nh, ql, hd = query_content.shape
    rd = query_rope.shape[-1]
    ld = cache.shape[-1] - rd
    dt = torch.float64 if cache.dtype is torch.float64 else torch.float32
    W = kv_up.reshape(nh, 2 * hd, ld).to(dt)
    res = []
    for b, n in enumerate(lengths.tolist()):
        # only what belongs to this sequence
        c = cache[b, :n].to(dt)
        p = torch.arange(n - ql, n, device=cache.device)
        f = torch.pow(10000.0, -torch.arange(0, rd, 2, device=cache.device).double() / rd)
        z = torch.complex(query_rope[b, ..., :rd // 2].double(), query_rope[b, ..., rd // 2:].double())
        z = z * torch.exp(1j * p[:, None].double() * f)
        q = torch.cat([query_content[b].to(dt) @ W[:, :hd], z.real.to(dt), z.imag.to(dt)], -1)
        s = (q.reshape(nh * ql, -1) @ c.t()).view(nh, ql, n) / q.shape[-1] ** 0.5
        s = s + torch.full((ql, n), float("-inf"), dtype=dt, device=s.device).triu(n - ql + 1)
        a = torch.softmax(s, dim=-1)
        ctx = (a.reshape(nh * ql, n) @ c[:, :ld]).view(nh, ql, ld)
        res.append(ctx @ W[:, hd:].transpose(1, 2))
    return torch.stack(res).to(query_content.dtype)
