import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = torch.sigmoid(gate) ** (1 / 16)
    state = a[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhde->bhe", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, T, _ = query.shape
    C = min(chunk_size, T)
    pad = -T % C
    q, k, v = (F.pad(x, (0, 0, 0, pad)).unflatten(2, (-1, C)) for x in (query, key, value))
    g = F.pad(gate, (0, pad)).unflatten(2, (-1, C))

    # B H N C
    c = F.logsigmoid(g.double()).div(16).cumsum(-1)
    gap = c[..., :, None] - c[..., None, :]
    ahead = torch.ones(C, C, dtype=torch.bool, device=q.device).triu(1)
    decay = gap.masked_fill(ahead, float("-inf")).exp().to(q.dtype)
    inner = (q @ k.transpose(-1, -2) * decay) @ v

    read = q * c.exp()[..., None].to(q.dtype)
    write = k * (c[..., -1:] - c).exp()[..., None].to(k.dtype)
    keep = c[..., -1].exp()[..., None, None].to(state.dtype)

    outs = []
    for n in range(q.shape[2]):
        outs.append(inner[:, :, n] + read[:, :, n] @ state)
        state = keep[:, :, n] * state + write[:, :, n].transpose(-1, -2) @ v[:, :, n]
    return torch.cat(outs, dim=2)[:, :, :T], state
