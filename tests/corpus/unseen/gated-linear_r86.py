from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def segment_sums(log_a: Tensor) -> Tensor:
    """(..., n) -> (..., n, n): entry (i, j) is the sum over j < m <= i, and -inf for j > i.

    As in Mamba-2: nothing is subtracted, so nothing cancels.
    """
    n = log_a.shape[-1]
    square = torch.ones(n, n, dtype=torch.bool, device=log_a.device)
    steps = log_a.unsqueeze(-1).expand(*log_a.shape, n).masked_fill(~square.tril(-1), 0)
    return steps.cumsum(dim=-2).masked_fill(~square.tril(), float("-inf"))


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    # a chunk of one position
    rows, new_state = gated_linear_attention(
        query.unsqueeze(2), key.unsqueeze(2), value.unsqueeze(2), gate.unsqueeze(2), state, 1
    )
    return rows.squeeze(2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    dtype, length = query.dtype, query.shape[2]
    wide = torch.promote_types(dtype, torch.float32)
    size = min(chunk_size, length)
    count = (length + size - 1) // size
    missing = count * size - length

    def chunks(t: Tensor) -> Tensor:
        # zeros behind the end write nothing, and log a = 0 lets nothing fade
        return F.pad(t.to(wide), (0, 0, 0, missing)).unflatten(2, (count, size))

    q, k, v = chunks(query), chunks(key), chunks(value)
    log_a = chunks(F.logsigmoid(gate.to(wide)).unsqueeze(-1) / 16).squeeze(-1)

    fade = segment_sums(log_a).exp()
    total = log_a.cumsum(-1).exp()
    written = torch.einsum("bhnck,bhncv->nbhkv", k * fade[..., -1, :, None], v)

    found = [state.to(wide)]
    for number in range(count):
        kept = total[:, :, number, -1, None, None]
        found.append(kept * found[-1] + written[number])
    before = torch.stack(found[:-1], dim=2)

    scores = torch.einsum("bhnik,bhnjk->bhnij", q, k) * fade
    output = scores @ v + total.unsqueeze(-1) * (q @ before)
    return output.flatten(2, 3)[:, :, :length].to(dtype), found[-1].to(dtype)
