# fla's naive chunk code, from memory
import torch
import torch.nn.functional as F

GATE_LOGIT_NORMALIZER = 16


def _log_decay(gate):
    # in float32 or wider: sums over a chunk lose digits in half precision
    wide = torch.promote_types(gate.dtype, torch.float32)
    return F.logsigmoid(gate.to(wide)) / GATE_LOGIT_NORMALIZER


def gated_step(query, key, value, gate, state):
    wide = torch.promote_types(query.dtype, torch.float32)
    decay = _log_decay(gate).exp()[..., None, None]
    new_state = decay * state.to(wide) + key.to(wide).unsqueeze(-1) * value.to(wide).unsqueeze(-2)
    row = (query.to(wide).unsqueeze(-1) * new_state).sum(-2)
    return row.to(value.dtype), new_state.to(state.dtype)


def _segsum(g):
    """(..., n) -> (..., n, n): sum of g over (j, i], as Mamba-2 does it; no large sums are subtracted"""
    n = g.size(-1)
    lower = torch.ones(n, n, dtype=torch.bool, device=g.device).tril(-1)
    total = g.unsqueeze(-1).expand(*g.shape, n).masked_fill(~lower, 0).cumsum(-2)
    return total.masked_fill(lower.mT, -torch.inf)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(query.dtype, torch.float32)
    log_a = _log_decay(gate)
    S = state.to(wide)
    rows = []
    for q, k, v, g in zip(*(t.to(wide).split(chunk_size, dim=2) for t in (query, key, value, log_a))):
        fade = _segsum(g).exp()                                   # b h n n, row i, column j
        whole = g.cumsum(-1).exp()                                # from the chunk's start to i
        rows.append((q @ k.mT * fade) @ v + whole.unsqueeze(-1) * (q @ S))
        left = fade[..., -1, :].unsqueeze(-1)                     # from j to the chunk's end
        S = whole[..., -1:, None] * S + (k * left).mT @ v
    return torch.cat(rows, dim=2).to(value.dtype), S.to(state.dtype)
