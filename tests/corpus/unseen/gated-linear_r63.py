# attn-kata: gated-linear
# All chunks at once: chunk states by a short scan, then one batched product for the rows.
import torch
from torch import einsum
from torch.nn import functional


def gated_step(query, key, value, gate, state):
    a = gate.sigmoid().pow(1 / 16)
    new_state = einsum("bh,bhde->bhde", a, state) + einsum("bhd,bhe->bhde", key, value)
    return einsum("bhde,bhd->bhe", new_state, query), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length = query.shape[2]
    chunk_size = min(chunk_size, length)
    tail = -length % chunk_size
    acc = torch.promote_types(query.dtype, torch.float32)
    log_a = functional.logsigmoid(gate.to(acc)) / 16

    # padding: nothing written (key 0), nothing lost (log 1)
    q, k, v = (functional.pad(t.to(acc), (0, 0, 0, tail)).unflatten(2, (-1, chunk_size)) for t in (query, key, value))
    c = functional.pad(log_a, (0, tail)).unflatten(2, (-1, chunk_size)).cumsum(-1)

    own = einsum("bhnc,bhncd,bhnce->bhnde", (c[..., -1:] - c).exp(), k, v)
    fade = c[..., -1].exp()
    found = [state.to(acc)]
    for n in range(own.shape[2]):
        found.append(fade[:, :, n, None, None] * found[-1] + own[:, :, n])
    before = torch.stack(found[:-1], 2)

    gap = c.unsqueeze(-1) - c.unsqueeze(-2)
    ahead = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).triu(1)
    w = einsum("bhnid,bhnjd->bhnij", q, k) * gap.masked_fill(ahead, -torch.inf).exp()
    out = w @ v + c.exp().unsqueeze(-1) * (q @ before)
    return out.flatten(2, 3)[:, :, :length].to(value.dtype), found[-1].to(state.dtype)


if __name__ == "__main__":
    s = torch.full((1, 1, 1, 1), 8.0)
    half = torch.logit(torch.tensor(0.5 ** 16)).expand(1, 1, 2)
    one, v = torch.ones(1, 1, 2, 1), torch.tensor([2.0, 4.0]).view(1, 1, 2, 1)
    print(gated_linear_attention(one, one, v, half, s, 2))
