"""Linear attention (Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3)."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention in time and memory linear in the lengths: every query sees every key.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim)
    and value (batch, heads, key_length, value_dim); any float dtype. Returns (batch, heads,
    query_length, value_dim).
    """
    mapped_query = feature_map(query)  # (batch, heads, query_length, head_dim)
    mapped_key = feature_map(key)  # (batch, heads, key_length, head_dim)
    summary = mapped_key.mT @ value  # (batch, heads, head_dim, value_dim)
    key_total = mapped_key.sum(dim=-2).unsqueeze(-1)  # (batch, heads, head_dim, 1)
    gathered = mapped_query @ summary  # (batch, heads, query_length, value_dim)
    normaliser = mapped_query @ key_total  # (batch, heads, query_length, 1)
    output = gathered / normaliser  # (batch, heads, query_length, value_dim)
    return output


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attend to each position and those before it, through a state that runs along the length.

    query and key are (batch, heads, length, head_dim), value (batch, heads, length, value_dim).
    Returns (batch, heads, length, value_dim).
    """
    query_features = feature_map(query)  # (batch, heads, length, head_dim)
    key_features = feature_map(key)  # (batch, heads, length, head_dim)
    # All states at once; a loop that keeps the latest alone takes length times less memory.
    outer = key_features.unsqueeze(-1) * value.unsqueeze(-2)
    states = outer.cumsum(dim=2)  # (batch, heads, length, head_dim, value_dim)
    keys_so_far = key_features.cumsum(dim=2)  # (batch, heads, length, head_dim)
    read = (query_features.unsqueeze(-1) * states).sum(dim=-2)  # (batch, heads, length, value_dim)
    divisor = (query_features * keys_so_far).sum(dim=-1, keepdim=True)  # (batch, heads, length, 1)
    rows = read / divisor  # (batch, heads, length, value_dim)
    return rows


def feature_map(x: Tensor) -> Tensor:
    """Return elu(x) + 1, which is positive everywhere: x + 1 above 0, exp(x) below."""
    return functional.elu(x) + 1
