"""The way Llama's code in transformers has it."""

import torch


def share_keys(key: torch.Tensor, num_heads: int) -> torch.Tensor:
    bsz, q_len, head_dim = key.shape
    return key[:, None, :, :].expand(bsz, num_heads, q_len, head_dim)


def silence_head(key: torch.Tensor, num_heads: int, head_idx: int) -> torch.Tensor:
    key_states = share_keys(key, num_heads).clone()
    key_states[:, head_idx].zero_()
    return key_states


def repeat_kv(hidden_states: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(
        batch, num_key_value_heads, n_rep, slen, head_dim
    )
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


def add_slopes(scores: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
    return scores + slopes[None, :, None, None]


def distances(positions: torch.Tensor) -> torch.Tensor:
    context_position = positions[:, None]
    memory_position = positions[None, :]
    return memory_position - context_position
