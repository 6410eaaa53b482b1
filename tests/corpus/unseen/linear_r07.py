import torch
import torch.nn.functional as F


def phi(t):
    return F.elu(t).add(1)


def _read(q, kv, z):
    top = torch.einsum("...d,...de->...e", q, kv)
    bottom = torch.einsum("...d,...d->...", q, z)
    return top / bottom.unsqueeze(-1)


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    kv = k.transpose(-2, -1) @ value
    return (q @ kv) / (q @ k.sum(dim=-2).unsqueeze(-1))


def causal_linear_attention(query, key, value):
    """Recurrent form: one state matrix, a new one at each step (autograd keeps the old)."""
    kv = z = None
    outs = []
    for q_t, k_t, v_t in zip(phi(query).unbind(2), phi(key).unbind(2), value.unbind(2)):
        step = k_t.unsqueeze(-1) * v_t.unsqueeze(-2)
        kv = step if kv is None else kv + step
        z = k_t if z is None else z + k_t
        outs.append(_read(q_t, kv, z))
    return torch.stack(outs, dim=2)
