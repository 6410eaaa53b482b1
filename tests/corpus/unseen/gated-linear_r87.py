import torch
import torch.nn.functional as F


def _keep(gate):
    return F.logsigmoid(gate) / 16.0


def gated_step(query, key, value, gate, state):
    decay = _keep(gate.float() if gate.dtype != torch.float64 else gate).exp().to(state.dtype)
    state = decay[:, :, None, None] * state + key[:, :, :, None] * value[:, :, None, :]
    row = (state * query[:, :, :, None]).sum(dim=2)
    return row, state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    # JAX habit: a pure step function over (carry, xs), driven like lax.scan
    dtype = query.dtype
    up = torch.promote_types(dtype, torch.float32)
    xs = [x.to(up).split(chunk_size, dim=2) for x in (query, key, value, gate)]

    def body(carry, x):
        q, k, v, g = x
        c = torch.cumsum(_keep(g), dim=-1)
        n = g.shape[-1]
        visible = torch.ones((n, n), dtype=torch.bool, device=g.device).tril()
        # log-decay from j to i; future pairs go to -inf before the exponential
        log_d = torch.where(visible, c[..., :, None] - c[..., None, :], float("-inf"))
        y = torch.einsum("bhij,bhje->bhie", torch.einsum("bhid,bhjd->bhij", q, k) * log_d.exp(), v)
        y = y + torch.einsum("bhid,bhde->bhie", q * c.exp()[..., None], carry)
        rest = (c[..., -1:] - c).exp()
        carry = c[..., -1].exp()[..., None, None] * carry
        carry = carry + torch.einsum("bhjd,bhje->bhde", k * rest[..., None], v)
        return carry, y

    carry, ys = state.to(up), []
    for x in zip(*xs):
        carry, y = body(carry, x)
        ys.append(y)
    return torch.cat(ys, dim=2).to(dtype), carry.to(dtype)
