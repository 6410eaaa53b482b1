import torch


def log_gate(gate):
    return torch.log(torch.sigmoid(gate)) / 16


def gated_step(query, key, value, gate, state):
    a = torch.sigmoid(gate) ** (1 / 16)
    new_state = a[..., None, None] * state + torch.einsum("bhi,bhj->bhij", key, value)
    return torch.einsum("bhij,bhi->bhj", new_state, query), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, L, _ = query.shape
    output = torch.zeros_like(value)
    pieces = []
    for begin in range(0, L, chunk_size):
        end = min(L, begin + chunk_size)
        q, k, v = query[:, :, begin:end], key[:, :, begin:end], value[:, :, begin:end]
        c = log_gate(gate[:, :, begin:end]).cumsum(-1)
        D = c[..., :, None] - c[..., None, :]
        tri = torch.ones(end - begin, end - begin, device=q.device, dtype=torch.bool).tril()
        D = torch.where(tri, D, float("-inf")).exp()
        o = torch.einsum("bhij,bhjd->bhid", torch.einsum("bhid,bhjd->bhij", q, k) * D, v)
        o = o + torch.einsum("bhid,bhde->bhie", q * c.exp()[..., None], state)
        pieces.append(o)
        last = c[..., -1:]
        state = last.exp()[..., None] * state
        state = state + torch.einsum("bhid,bhie->bhde", k * (last - c).exp()[..., None], v)
    output = torch.cat(pieces, dim=2)
    return output, state
