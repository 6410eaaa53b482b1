import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    """T5-like: the decoder's EncDecAttention."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.d_model = hidden_dim
        self.n_heads = num_heads
        self.key_value_proj_dim = hidden_dim // num_heads
        self.inner_dim = self.n_heads * self.key_value_proj_dim

        self.q = nn.Linear(self.d_model, self.inner_dim, bias=False)
        self.k = nn.Linear(self.d_model, self.inner_dim, bias=False)
        self.v = nn.Linear(self.d_model, self.inner_dim, bias=False)
        self.o = nn.Linear(self.inner_dim, self.d_model, bias=False)

    def forward(self, x, memory, memory_lengths, cache=None):
        batch_size, seq_length = x.shape[:2]

        def shape(states):
            """projection"""
            return states.view(batch_size, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)

        def unshape(states):
            """reshape"""
            return states.transpose(1, 2).contiguous().view(batch_size, -1, self.inner_dim)

        query_states = shape(self.q(x))
        position_bias = None
        if cache is None:
            key_states, value_states = shape(self.k(memory)), shape(self.v(memory))
            key_length = key_states.shape[2]
            positions = torch.arange(key_length, device=x.device)
            padding = positions[None, :] >= memory_lengths[:, None]
            position_bias = torch.zeros(batch_size, 1, 1, key_length, dtype=x.dtype, device=x.device)
            position_bias = position_bias.masked_fill(padding[:, None, None, :], torch.finfo(x.dtype).min)
        else:
            key_states, value_states = cache

        scores = torch.matmul(query_states, key_states.transpose(3, 2))
        scores = scores / self.key_value_proj_dim**0.5
        if position_bias is not None:
            scores = scores + position_bias

        attn_weights = nn.functional.softmax(scores, dim=-1)
        attn_output = unshape(torch.matmul(attn_weights, value_states))
        return self.o(attn_output), (key_states, value_states)
