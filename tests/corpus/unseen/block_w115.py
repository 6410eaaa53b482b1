from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class BlockConfig:
    hidden_size: int
    num_attention_heads: int
    intermediate_multiple: int = 4
    layer_norm_eps: float = 1e-12

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        config = BlockConfig(hidden_dim, num_heads)
        self.config = config
        size, middle = config.hidden_size, config.intermediate_multiple * config.hidden_size
        self.layernorm_before = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.layernorm_after = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))
        self.attention_output = nn.Linear(size, size)
        self.intermediate = nn.Linear(size, middle)
        self.output = nn.Linear(middle, size)

    def attention(self, hidden_states: Tensor) -> Tensor:
        heads = self.config.num_attention_heads, self.config.head_size
        q, k, v = (f(hidden_states).unflatten(-1, heads) for f in (self.query, self.key, self.value))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.config.head_size ** 0.5
        index = torch.arange(scores.size(-1), device=scores.device)
        scores = scores.masked_fill(index > index[:, None], torch.finfo(scores.dtype).min)
        context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
        return self.attention_output(context.flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.layernorm_before(x))
        hidden = nn.functional.gelu(self.intermediate(self.layernorm_after(x)))
        return x + self.output(hidden)
