import torch
from torch.nn.functional import elu

phi = lambda x: elu(x).add(1)


def linear_attention(query, key, value):
    # (b, l, h, d), as the JAX code has it
    q, k, v = (t.movedim(1, 2) for t in (phi(query), phi(key), value))
    state = torch.einsum("bshm,bshe->bhme", k, v)
    norm = torch.einsum("blhm,bhm->blh", q, k.sum(1))
    return (torch.einsum("blhm,bhme->blhe", q, state) / norm[..., None]).movedim(2, 1)


def causal_linear_attention(query, key, value):
    q, k, v = (t.movedim(1, 2) for t in (phi(query), phi(key), value))
    states = torch.einsum("blhm,blhe->blhme", k, v).cumsum(2)
    norm = torch.einsum("blhm,blhm->blh", q, k.cumsum(1))
    return (torch.einsum("blhm,blhme->blhe", q, states) / norm[..., None]).movedim(2, 1)
