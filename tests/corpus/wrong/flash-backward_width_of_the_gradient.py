# wrong: flash-backward scale-by-value-dim line 21
# fair: scale-by-value-dim 20, 21
import torch
from torch import Tensor


def _recompute(q_scaled: Tensor, k_blk: Tensor, lse: Tensor, keep) -> Tensor:
    logits = torch.matmul(q_scaled, k_blk.mT)
    p = torch.exp(logits - lse[..., None])
    return p if keep is None else p * keep


def flash_backward(query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
                   grad_output: Tensor, block_size: int, causal: bool = False):
    dtype = query.dtype
    if dtype in (torch.bfloat16, torch.float16):
        query, key, value, output, lse, grad_output = [
            x.float() for x in (query, key, value, output, lse, grad_output)
        ]
    batch, heads, n, dim = grad_output.shape
    scale = dim**-0.5
    qs = query * scale
    row = torch.arange(n, device=query.device)[:, None]
    D = torch.sum(grad_output * output, dim=-1, keepdim=True)

    gq = torch.zeros_like(query)
    gks, gvs = [], []
    for k_blk, v_blk, col in zip(
        key.split(block_size, dim=2),
        value.split(block_size, dim=2),
        torch.arange(n, device=query.device).split(block_size),
    ):
        keep = (row >= col).to(query.dtype) if causal else None
        if causal:
            # exp() of something never seen may be inf, and inf * 0 is nan
            logits = torch.matmul(qs, k_blk.mT).masked_fill(row < col, float("-inf"))
            p = torch.exp(logits - lse[..., None])
        else:
            p = _recompute(qs, k_blk, lse, keep)
        gvs.append(p.mT @ grad_output)
        ds = p * (grad_output @ v_blk.mT - D)
        gq += ds @ k_blk
        gks.append(ds.mT @ qs)
    return (gq * scale).to(dtype), torch.cat(gks, 2).to(dtype), torch.cat(gvs, 2).to(dtype)
