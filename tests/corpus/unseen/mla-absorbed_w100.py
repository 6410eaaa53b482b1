import torch


def rot(t, p):
    """RoPE in halves, worked out in float64."""
    n = t.shape[-1] // 2
    a = p.double()[..., None] * torch.logspace(0, -4, n + 1, base=10, dtype=torch.float64, device=t.device)[:n]
    x, y = t.double().split(n, -1)
    return torch.cat((x * a.cos() - y * a.sin(), y * a.cos() + x * a.sin()), -1)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, rot(key_rope, positions).to(latent)), -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    heads, m, d = query_content.shape[1:]
    r, c = query_rope.shape[-1], kv_up.shape[-1]
    per_head = kv_up.double().reshape(heads, 2 * d, c)

    def one_head(qc, qr, rows, entries):
        w_v, w_k = rows.chunk(2)
        n = entries.shape[0]
        z = torch.cat((qc @ w_k, qr), -1) @ entries.mT / (d + r) ** 0.5
        z = z + torch.full_like(z, -torch.inf).triu(n - m + 1)
        return z.softmax(-1) @ entries[:, :c] @ w_v.mT

    def one_sequence(qc, qr, entries):
        n = entries.shape[0]
        qr = rot(qr, torch.arange(n - m, n, device=qr.device))
        return torch.stack([one_head(*hs, entries) for hs in zip(qc.double(), qr, per_head)])

    rows = [one_sequence(qc, qr, e[:n].double()) for qc, qr, e, n in zip(query_content, query_rope, cache, lengths.tolist())]
    return torch.stack(rows).to(query_content.dtype)
