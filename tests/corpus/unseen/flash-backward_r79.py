from __future__ import annotations

import torch
from torch import Tensor


class Saved:
    """The forward pass's context object: what it kept, and what follows from it once."""

    def __init__(self, query: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor) -> None:
        self.dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
        self.query = query.to(self.dtype) / query.size(-1) ** 0.5      # scaled once and for all
        self.grad = grad_output.to(self.dtype)
        self.lse = lse.to(self.dtype).unsqueeze(-1)
        self.delta = torch.einsum("bhnv,bhnv->bhn", self.grad, output.to(self.dtype)).unsqueeze(-1)

    def weights(self, keys: Tensor, first: int, causal: bool) -> tuple[Tensor, int]:
        """of all queries that may see one of these keys, and the first such query"""
        since = first if causal else 0
        exponent = self.query[:, :, since:] @ keys.mT - self.lse[:, :, since:]
        if causal:
            m = keys.size(2)
            corner = torch.triu_indices(m, m, offset=1, device=keys.device)
            exponent[:, :, corner[0], corner[1]] = float("-inf")
        return exponent.exp_(), since


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
    block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    saved = Saved(query, output, lse, grad_output)
    grad_query = torch.zeros_like(saved.query)
    grad_keys, grad_values = [], []
    first = 0
    for keys, values in zip(key.split(block_size, 2), value.split(block_size, 2)):
        keys, values = keys.to(saved.dtype), values.to(saved.dtype)
        p, since = saved.weights(keys, first, causal)
        g = saved.grad[:, :, since:]
        ds = p * (g @ values.mT - saved.delta[:, :, since:])
        grad_query[:, :, since:] += ds @ keys
        grad_keys.append(ds.mT @ saved.query[:, :, since:])     # the scale is in the query already
        grad_values.append(p.mT @ g)
        first += keys.size(2)
    grad_query = grad_query / query.size(-1) ** 0.5
    return (
        grad_query.to(query.dtype),
        torch.cat(grad_keys, 2).to(key.dtype),
        torch.cat(grad_values, 2).to(value.dtype),
    )
