import torch


def _angles(positions, rope_dim):
    i = torch.arange(rope_dim // 2, device=positions.device, dtype=torch.float32)
    return positions[..., None].float() * 10000.0 ** (-2.0 * i / rope_dim)


def _turn(t, angle):
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def cache_entries(latent, key_rope, positions):
    angle = _angles(positions[0], key_rope.shape[-1])
    return torch.cat((latent, _turn(key_rope, angle)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    c = cache.shape[-1] - r
    w = kv_up.unflatten(0, (h, 2, d))
    steps = torch.arange(n, device=cache.device)
    outs = []
    for s in range(b):
        length = int(lengths[s])
        at = length - n + steps
        entries = cache[s, :length]
        q = torch.cat((torch.einsum("hnd,hdc->hnc", query_content[s], w[:, 0]),
                       _turn(query_rope[s], _angles(at, r))), dim=-1)
        per_head = []
        for one, up in zip(q, w[:, 1]):
            score = one @ entries.T / (d + r) ** 0.5
            score = score.masked_fill(torch.arange(length, device=cache.device) > at[:, None], float("-inf"))
            per_head.append((score.softmax(-1) @ entries[:, :c]) @ up.T)
        outs.append(torch.stack(per_head))
    return torch.stack(outs)
