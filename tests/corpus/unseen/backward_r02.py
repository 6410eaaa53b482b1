# attn-kata: backward
from __future__ import annotations

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """One query after the other, because one row of the softmax is easiest to get right."""
    with torch.no_grad():
        out_dtype = query.dtype
        if out_dtype in (torch.float16, torch.bfloat16):
            query = query.float()
            key = key.float()
            value = value.float()
            grad_output = grad_output.float()

        batch, heads, query_length, head_dim = query.shape
        key_length = key.shape[2]
        past = key_length - query_length
        root = head_dim**0.5

        grad_query = torch.zeros_like(query)
        grad_key = torch.zeros_like(key)
        grad_value = torch.zeros_like(value)

        for i in range(query_length):
            # how many keys this query sees
            end = past + i + 1 if causal else key_length
            q = query[:, :, i, :]  # (batch, heads, head_dim)
            k = key[:, :, :end, :]  # (batch, heads, end, head_dim)
            v = value[:, :, :end, :]  # (batch, heads, end, value_dim)
            g = grad_output[:, :, i, :]  # (batch, heads, value_dim)

            p = torch.softmax((k @ q.unsqueeze(-1)).squeeze(-1) / root, dim=-1)
            dp = (v @ g.unsqueeze(-1)).squeeze(-1)  # (batch, heads, end)
            row = (p * dp).sum(dim=-1, keepdim=True)
            ds = p * (dp - row) / root

            grad_value[:, :, :end, :] += p.unsqueeze(-1) * g.unsqueeze(-2)
            grad_key[:, :, :end, :] += ds.unsqueeze(-1) * q.unsqueeze(-2)
            grad_query[:, :, i, :] = (ds.unsqueeze(-2) @ k).squeeze(-2)

        return grad_query.to(out_dtype), grad_key.to(out_dtype), grad_value.to(out_dtype)
