import torch
from torch import Tensor
from einops import einsum, rearrange


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """Causal attention reads a growing slice of keys, so no mask of its own is ever made."""
    scale = query.shape[-1] ** -0.5
    n, s = query.shape[-2], key.shape[-2]
    if mask is not None:
        while mask.ndim < 4:
            mask = rearrange(mask, "... -> 1 ...")
        mask = mask.expand(-1, -1, n, s)

    def attend(q, k, v, m):
        logits = einsum(q * scale, k, "b h q d, b h k d -> b h q k")
        if m is not None:
            logits = torch.where(m.to(torch.bool), logits, torch.finfo(logits.dtype).min)
        p = logits.softmax(-1)
        return einsum(p, v, "b h q k, b h k e -> b h q e")

    if not causal:
        return attend(query, key, value, mask)
    rows = []
    for i in range(n):
        upto = s - n + i + 1
        m = None if mask is None else mask[..., i : i + 1, :upto]
        rows.append(attend(query[..., i : i + 1, :], key[..., :upto, :], value[..., :upto, :], m))
    return torch.cat(rows, dim=-2)
