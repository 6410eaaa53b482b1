import torch


def _fold(state, s, v):
    """One step of the online softmax. state = (peak, mass, acc), all float32 or wider."""
    peak, mass, acc = state
    new_peak = torch.maximum(peak, s.max(dim=-1, keepdim=True).values)
    fade = (peak - new_peak).exp()
    p = (s - new_peak).exp()
    return new_peak, mass * fade + p.sum(-1, keepdim=True), acc * fade + p @ v


def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    work = torch.promote_types(query.dtype, torch.float32)
    rows = []
    for q_lo in range(0, T, block_size):
        q = query[:, :, q_lo:q_lo + block_size].to(work) * D ** -0.5
        n = q.shape[2]
        state = (
            q.new_full((B, H, n, 1), -torch.inf),
            q.new_zeros((B, H, n, 1)),
            q.new_zeros((B, H, n, D)),
        )
        stop = q_lo + n if causal else T
        for k_lo in range(0, stop, block_size):
            k_hi = min(k_lo + block_size, stop)
            s = q @ key[:, :, k_lo:k_hi].to(work).transpose(2, 3)
            if causal and k_hi > q_lo + 1:
                i = torch.arange(q_lo, q_lo + n, device=s.device).unsqueeze(1)
                j = torch.arange(k_lo, k_hi, device=s.device)
                s = s.masked_fill(j > i, -torch.inf)
            state = _fold(state, s, value[:, :, k_lo:k_hi].to(work))
        rows.append((state[2] / state[1]).to(query.dtype))
    return torch.cat(rows, dim=2)
