import torch
import torch.nn.functional as F
from einops import rearrange


def gated_step(query, key, value, gate, state):
    alpha = torch.sigmoid(gate) ** (1 / 16)
    state = alpha[..., None, None] * state + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    """all chunks at once inside, a loop over chunk states in between"""
    out_dtype, state_dtype = value.dtype, state.dtype
    f = torch.float64 if out_dtype == torch.float64 else torch.float32
    q, k, v, g, s = (t.to(f) for t in (query, key, value, gate, state))
    length = q.shape[2]
    C = min(chunk_size, length)
    pad = -length % C
    q, k, v = (F.pad(t, (0, 0, 0, pad)) for t in (q, k, v))
    g = F.pad(g, (0, pad))
    g = F.logsigmoid(g) / 16

    q, k, v = (rearrange(t, "b h (n c) d -> b h n c d", c=C) for t in (q, k, v))
    g = rearrange(g, "b h (n c) -> b h n c", c=C)

    # segment sums, as in the minimal Mamba-2 code
    x = g[..., :, None].expand(*g.shape, C)
    strictly = torch.ones(C, C, dtype=torch.bool, device=g.device).tril(-1)
    seg = x.masked_fill(~strictly, 0).cumsum(-2)
    seg = seg.masked_fill(torch.ones_like(strictly).triu(1), -torch.inf).exp()

    intra = torch.einsum("bhnij,bhnjv->bhniv", torch.einsum("bhnid,bhnjd->bhnij", q, k) * seg, v)
    decay_in = g.cumsum(-1).exp()
    chunk_kv = torch.einsum("bhncd,bhncv->bhndv", k * seg[..., -1, :, None], v)

    inter = []
    for n in range(q.shape[2]):
        inter.append(torch.einsum("bhcd,bhdv,bhc->bhcv", q[:, :, n], s, decay_in[:, :, n]))
        s = decay_in[:, :, n, -1, None, None] * s + chunk_kv[:, :, n]
    out = rearrange(intra + torch.stack(inter, dim=2), "b h n c v -> b h (n c) v")
    return out[:, :, :length].to(out_dtype), s.to(state_dtype)
