import torch

ROWS = 32


def _spans(n, size):
    return [(a, min(a + size, n)) for a in range(0, n, size)]


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """Query tiles of ROWS rows, key tiles of block_size; each pair is visited once."""
    given = (query, key, value, output, lse, grad_output)
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key, value, output, lse, grad_output = (t.to(wide) for t in given)
    n, d = query.shape[-2], query.shape[-1]
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    D = torch.einsum("bhnv,bhnv->bhn", output, grad_output)
    at = torch.arange(n, device=query.device)
    for q0, q1 in _spans(n, ROWS):
        q, do = query[:, :, q0:q1] / d ** 0.5, grad_output[:, :, q0:q1]
        for k0, k1 in _spans(n, block_size):
            if causal and k0 >= q1:
                break
            k, v = key[:, :, k0:k1], value[:, :, k0:k1]
            s = torch.einsum("bhnd,bhmd->bhnm", q, k)
            if causal and k0 >= q0:  # the diagonal runs through this pair
                s = s.masked_fill(at[None, k0:k1] > at[q0:q1, None], float("-inf"))
            p = torch.exp(s - lse[:, :, q0:q1, None])
            ds = p * (torch.einsum("bhnv,bhmv->bhnm", do, v) - D[:, :, q0:q1, None])
            dv[:, :, k0:k1] += torch.einsum("bhnm,bhnv->bhmv", p, do)
            dk[:, :, k0:k1] += torch.einsum("bhnm,bhnd->bhmd", ds, q)
            dq[:, :, q0:q1] += torch.einsum("bhnm,bhmd->bhnd", ds, k) / d ** 0.5
    return tuple(g.to(given[0].dtype) for g in (dq, dk, dv))
