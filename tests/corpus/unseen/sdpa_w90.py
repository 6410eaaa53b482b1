# ported from my JAX notebook
import torch
from torch import Tensor


def make_causal(tq: int, tk: int, device) -> Tensor:
    q_pos = torch.arange(tk - tq, tk, device=device)
    k_pos = torch.arange(tk, device=device)
    return q_pos[:, None] >= k_pos[None, :]


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, causal: bool = False) -> Tensor:
    depth = value.shape[-1]
    query = query / depth ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", query, key)
    big_neg = torch.finfo(logits.dtype).min
    if causal:
        keep = make_causal(query.shape[-2], key.shape[-2], query.device)
        logits = torch.where(keep, logits, big_neg)
    if mask is not None:
        logits = torch.where(mask.bool(), logits, big_neg)
    probs = torch.softmax(logits, dim=-1)
    return torch.einsum("...qk,...kd->...qd", probs, value)
