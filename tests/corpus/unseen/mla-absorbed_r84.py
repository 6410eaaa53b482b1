import torch


def freqs(positions, rope_dim):
    # p * 10000^(-2i/rope_dim) as unit complex numbers
    inv = torch.pow(10000.0, -torch.arange(0, rope_dim, 2, device=positions.device).double() / rope_dim)
    theta = torch.einsum("...,i->...i", positions.double(), inv)
    return torch.polar(torch.ones_like(theta), theta)


def rope(x, positions):
    lo, hi = x.double().chunk(2, -1)
    z = torch.complex(lo, hi) * freqs(positions, x.size(-1))
    return torch.cat((z.real, z.imag), -1)


def cache_entries(latent, key_rope, positions):
    entry = latent.new_empty(*latent.shape[:2], latent.size(2) + key_rope.size(2))
    entry[..., : latent.size(2)] = latent
    entry[..., latent.size(2) :] = rope(key_rope, positions)
    return entry


class Head:
    """One head's half of the work: into the latent space, and out of it."""

    def __init__(self, weight, index, head_dim, dtype):
        rows = weight[index * 2 * head_dim : (index + 1) * 2 * head_dim]
        self.k_up = rows[:head_dim].to(dtype)
        self.v_up = rows[head_dim:].to(dtype)

    def absorb(self, q):
        return q @ self.k_up

    def expand(self, c):
        return self.v_up @ c


@torch.no_grad()
def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Tq, D = query_content.shape
    R = query_rope.size(-1)
    L = cache.size(-1) - R
    dt = torch.float64 if cache.dtype == torch.float64 else torch.float32
    scale = (D + R) ** -0.5
    y = torch.zeros_like(query_content)
    heads = [Head(kv_up, h, D, dt) for h in range(H)]
    for b, n in enumerate(lengths.tolist()):
        pos = torch.arange(n - Tq, n, device=cache.device)
        mem = cache[b, :n].to(dt)
        for h, head in enumerate(heads):
            q_c = head.absorb(query_content[b, h].to(dt))
            q_r = rope(query_rope[b, h], pos).to(dt)
            # a query at place p simply gets the first p + 1 entries, so there is no mask
            for i in range(Tq):
                seen = mem[: n - Tq + i + 1]
                s = seen @ torch.cat((q_c[i], q_r[i])) * scale
                w = torch.softmax(s, 0)
                y[b, h, i] = head.expand(w @ seen[:, :L]).to(y.dtype)
    return y
