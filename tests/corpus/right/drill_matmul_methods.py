# right: drill-matmul
import torch
from torch import nn


class Mixer(nn.Module):
    """Kept from a notebook; the functions below are what counts."""

    def forward(self, weights, values):
        return torch.einsum("bhqk,bhkd->bhqd", weights, values)


mixer = Mixer()


def by_operator(attention_weights, value):
    attention_weights = attention_weights.to(value.dtype)
    return attention_weights @ value


def by_matmul(attention_weights, value):
    out = torch.empty(attention_weights.shape[:-1] + value.shape[-1:], dtype=value.dtype,
                      device=value.device)
    out = torch.matmul(attention_weights, value)
    return out


def by_einsum(attention_weights, value):
    return mixer(attention_weights, value)


def by_bmm(attention_weights, value):
    bsz, num_heads, tgt_len, src_len = attention_weights.size()
    head_dim = value.size(-1)
    attention_weights = attention_weights.reshape(bsz * num_heads, tgt_len, src_len)
    value = value.reshape(bsz * num_heads, src_len, head_dim)
    attn_output = torch.bmm(attention_weights, value)
    if attn_output.size() != (bsz * num_heads, tgt_len, head_dim):
        raise ValueError("unexpected size")
    return attn_output.view(bsz, num_heads, tgt_len, head_dim)


def by_broadcast(attention_weights, value):
    terms = attention_weights[:, :, :, :, None] * value[:, :, None]
    return torch.sum(terms, dim=(3,))
