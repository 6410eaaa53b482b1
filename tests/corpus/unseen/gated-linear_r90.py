from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def segsum(x: Tensor) -> Tensor:
    """(..., n) -> (..., n, n): at (i, j) the sum of x[j+1 .. i], -inf ahead. Adds up, never subtracts."""
    n = x.size(-1)
    tri = torch.ones(n, n, dtype=torch.bool, device=x.device)
    x = x.unsqueeze(-1).expand(*x.shape, n).masked_fill(~tri.tril(-1), 0)
    return x.cumsum(-2).masked_fill(~tri.tril(), float("-inf"))


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    kept = torch.sigmoid(gate.to(acc)).pow(1 / 16)
    new_state = torch.einsum("bh,bhde->bhde", kept, state.to(acc))
    new_state = new_state + torch.einsum("bhd,bhe->bhde", key.to(acc), value.to(acc))
    row = torch.einsum("bhde,bhd->bhe", new_state, query.to(acc))
    return row.to(query.dtype), new_state.to(query.dtype)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    length = query.size(2)
    c = min(chunk_size, length)
    short = -length % c

    log_a = functional.logsigmoid(gate.to(acc)) / 16
    log_a = functional.pad(log_a, (0, short)).unflatten(2, (-1, c))  # padded places keep all
    q, k, v = (
        functional.pad(x.to(acc), (0, 0, 0, short)).unflatten(2, (-1, c)) for x in (query, key, value)
    )

    between = segsum(log_a).exp()  # (b, h, chunks, c, c)
    inside = torch.einsum("bhnid,bhnjd->bhnij", q, k) * between
    output = torch.einsum("bhnij,bhnje->bhnie", inside, v)

    to_end = between[..., -1, :]
    written = torch.einsum("bhnj,bhnjd,bhnje->bhnde", to_end, k, v)
    from_start = log_a.cumsum(-1).exp()

    found = [state.to(acc)]
    for i in range(written.size(2)):
        found.append(from_start[:, :, i, -1, None, None] * found[-1] + written[:, :, i])
    before = torch.stack(found[:-1], dim=2)
    output = output + from_start.unsqueeze(-1) * torch.einsum("bhnde,bhnid->bhnie", before, q)

    output = output.flatten(2, 3)[:, :, :length]
    return output.to(query.dtype), found[-1].to(query.dtype)
