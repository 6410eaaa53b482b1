"""GPT-NeoX attention: query_key_value is laid out head by head, (heads, 3 * head_size)."""
import torch
from torch import nn


class GPTNeoXConfig:
    aliases = {
        "hidden_dim": "hidden_size",
        "num_heads": "num_attention_heads",
        "block_size": "max_position_embeddings",
    }

    @classmethod
    def parse(cls, *args, **kwargs):
        if len(args) == 1 and isinstance(args[0], cls):
            return args[0]
        return cls(*args, **{cls.aliases.get(k, k): v for k, v in kwargs.items()})

    def __init__(self, hidden_size, num_attention_heads, max_position_embeddings, **kwargs):
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.max_position_embeddings = max_position_embeddings
        self.attention_bias = kwargs.get("attention_bias", True)


class GPTNeoXAttention(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        config = GPTNeoXConfig.parse(*args, **kwargs)
        self.num_attention_heads = config.num_attention_heads
        self.hidden_size = config.hidden_size
        self.head_size = self.hidden_size // self.num_attention_heads
        self._init_bias(config.max_position_embeddings)
        self.norm_factor = self.head_size**-0.5
        self.query_key_value = nn.Linear(self.hidden_size, 3 * self.hidden_size, bias=config.attention_bias)
        self.dense = nn.Linear(self.hidden_size, self.hidden_size, bias=config.attention_bias)

    def _init_bias(self, max_positions):
        tri = torch.tril(torch.ones((max_positions, max_positions), dtype=torch.bool))
        self.register_buffer("bias", tri.view(1, 1, max_positions, max_positions), persistent=False)

    def _attn(self, query, key, value):
        n = key.size(-2)
        causal_mask = self.bias[:, :, :n, :n]
        scores = query @ key.transpose(-1, -2) * self.norm_factor
        mask_value = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
        return torch.where(causal_mask, scores, mask_value).softmax(-1) @ value

    def forward(self, hidden_states):
        input_shape = hidden_states.shape[:-1]
        qkv = self.query_key_value(hidden_states)
        qkv = qkv.view(*input_shape, self.num_attention_heads, 3 * self.head_size).transpose(1, 2)
        query, key, value = qkv.chunk(3, dim=-1)
        out = self._attn(query, key, value)
        return self.dense(out.transpose(1, 2).reshape(*input_shape, -1))


class CausalSelfAttention(GPTNeoXAttention):
    """takes a GPTNeoXConfig, or (hidden_dim, num_heads, block_size)"""
