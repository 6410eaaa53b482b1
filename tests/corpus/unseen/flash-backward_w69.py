from __future__ import annotations

import torch
from torch import Tensor


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    B, H, N, D = query.shape
    DV = value.shape[-1]
    assert lse.shape == (B, H, N) and output.shape == (B, H, N, DV)
    ACC = torch.promote_types(query.dtype, torch.float32)
    rscale = D**-0.5

    q, g = query.to(ACC), grad_output.to(ACC)
    rowsum = torch.linalg.vecdot(g, output.to(ACC)).unsqueeze(-1)
    lse_col = lse.to(ACC).unsqueeze(-1)

    d_query = q.new_zeros(B, H, N, D)
    d_key = q.new_zeros(B, H, N, D)
    d_value = q.new_zeros(B, H, N, DV)
    row_id = torch.arange(N, device=q.device)

    num_tiles = N // block_size
    for t in range(num_tiles):
        lo = t * block_size
        hi = min(lo + block_size, N)
        k_t = key[..., lo:hi, :].to(ACC)
        v_t = value[..., lo:hi, :].to(ACC)
        # [B, H, N, hi - lo]
        logits = torch.matmul(q, k_t.mT) * rscale
        weight = torch.exp(logits - lse_col)
        if causal:
            hidden = row_id[lo:hi][None, :] > row_id[:, None]
            weight = weight.masked_fill(hidden, 0.0)
        d_value[..., lo:hi, :] = torch.matmul(weight.mT, g)
        d_logits = weight * (torch.matmul(g, v_t.mT) - rowsum)
        d_query.add_(torch.matmul(d_logits, k_t), alpha=rscale)
        d_key[..., lo:hi, :] = torch.matmul(d_logits.mT, q) * rscale

    return tuple(d.to(t.dtype) for d, t in zip((d_query, d_key, d_value), (query, key, value)))
