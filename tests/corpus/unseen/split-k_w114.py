from typing import NamedTuple, Tuple

import torch
from torch import nn


class PartialAttention(NamedTuple):
    hidden_states: torch.Tensor
    lse: torch.Tensor


def _upcast(hidden_states: torch.Tensor) -> torch.Tensor:
    return hidden_states.to(torch.promote_types(hidden_states.dtype, torch.float32))


def chunk_attention(query, key, value, seen) -> Tuple[torch.Tensor, torch.Tensor]:
    query_states, key_states, value_states = _upcast(query), _upcast(key), _upcast(value)
    attention_mask = seen[:, None, None, :]
    scaling = query_states.shape[-1] ** -0.5

    attn_scores = torch.matmul(query_states, key_states.transpose(2, 3)) * scaling
    attn_scores = attn_scores.masked_fill(~attention_mask, float("-inf"))
    attn_weights = nn.functional.softmax(attn_scores, dim=-1)
    attn_weights = torch.where(attention_mask, attn_weights, torch.zeros_like(attn_weights))
    attn_output = torch.matmul(attn_weights, value_states)
    return PartialAttention(attn_output, torch.logsumexp(attn_scores, dim=-1))


def merge(outputs, lses) -> Tuple[torch.Tensor, torch.Tensor]:
    partial_states, partial_lse = _upcast(outputs), _upcast(lses)

    max_lse = partial_lse.max(dim=0, keepdim=True).values
    max_lse = max_lse.masked_fill(max_lse == float("-inf"), 0.0)
    exp_lse = torch.exp(partial_lse - max_lse)
    sum_exp = exp_lse.sum(dim=0)

    attn_output = (exp_lse.unsqueeze(-1) * partial_states).sum(dim=0)
    attn_output = attn_output / sum_exp.masked_fill(sum_exp == 0, 1.0).unsqueeze(-1)
    return PartialAttention(attn_output, torch.log(sum_exp))


def split_k_attention(query, key, value, lengths, splits) -> torch.Tensor:
    batch_size, _, kv_seq_len, _ = key.shape
    position_ids = torch.arange(kv_seq_len, device=key.device).unsqueeze(0)
    cache_mask = position_ids < lengths.to(key.device).unsqueeze(1)

    num_chunks = min(splits, kv_seq_len)
    partials = [
        chunk_attention(query, key_chunk, value_chunk, mask_chunk)
        for key_chunk, value_chunk, mask_chunk in zip(
            key.tensor_split(num_chunks, dim=2),
            value.tensor_split(num_chunks, dim=2),
            cache_mask.tensor_split(num_chunks, dim=1),
        )
    ]
    merged = merge(
        torch.stack([partial.hidden_states for partial in partials]),
        torch.stack([partial.lse for partial in partials]),
    )
    return merged.hidden_states.to(query.dtype)
