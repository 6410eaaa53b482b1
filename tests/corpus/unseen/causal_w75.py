import torch
from torch import nn


def make_attention_mask(query_input, key_input, pairwise_fn):
    """[q], [k] -> [1, 1, q, k], True where attention is allowed."""
    mask = pairwise_fn(query_input[:, None], key_input[None, :])
    return mask[None, None]


def make_causal_mask(length, device):
    idx = torch.arange(length, device=device)
    return make_attention_mask(idx, idx, torch.less_equal)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.max_len = block_size
        self.qkv = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in "qkv"})
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, inputs):
        *_, length, features = inputs.shape
        assert length <= self.max_len
        split = lambda a: a.unflatten(-1, (self.num_heads, features // self.num_heads))
        query, key, value = (split(self.qkv[n](inputs)) for n in "qkv")
        depth = query.shape[-1]
        logits = torch.einsum("bqhd,bkhd->bhqk", query / depth**0.5, key)
        mask = make_causal_mask(length, inputs.device)
        logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
        attn = torch.softmax(logits, dim=-1)
        return self.out(torch.einsum("bhqk,bkhd->bqhd", attn, value).flatten(-2))
