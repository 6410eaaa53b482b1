import torch
from torch import Tensor


def _log_keep(gate: Tensor) -> Tensor:
    """log( sigmoid(gate)^(1/16) ), never -inf."""
    wide = torch.promote_types(gate.dtype, torch.float32)
    return torch.sigmoid(gate.to(wide)).clamp(min=1e-7).log() / 16


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    keep = _log_keep(gate).exp().to(state.dtype)[..., None, None]
    new_state = keep * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (query.unsqueeze(-2) @ new_state).squeeze(-2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key, value, state = (t.to(wide) for t in (query, key, value, state))
    rows = []
    for start in range(0, query.size(2), chunk_size):
        part = slice(start, start + chunk_size)
        q, k, v = query[:, :, part], key[:, :, part], value[:, :, part]
        gone = _log_keep(gate[:, :, part]).cumsum(dim=-1)
        size = q.size(2)
        ahead = torch.ones(size, size, dtype=torch.bool, device=q.device).triu(1)
        between = (gone.unsqueeze(-1) - gone.unsqueeze(-2)).masked_fill(ahead, float("-inf")).exp()
        inside = ((q @ k.mT) * between) @ v
        before = (q * gone.exp().unsqueeze(-1)) @ state
        rows.append(inside + before)
        last = gone[..., -1:]
        state = last.exp().unsqueeze(-1) * state + (k * (last - gone).exp().unsqueeze(-1)).mT @ v
    return torch.cat(rows, dim=2), state
