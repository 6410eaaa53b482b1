# right: block
from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int, num_attention_heads: int) -> None:
        super().__init__()
        self.num_heads = num_attention_heads
        self.head_dim = hidden_size // num_attention_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, hidden_states: Tensor) -> Tensor:
        bsz, q_len, _ = hidden_states.shape

        def shape(t: Tensor) -> Tensor:
            return t.view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)

        query, key, value = (shape(p(hidden_states)) for p in (self.q_proj, self.k_proj, self.v_proj))
        attn = torch.matmul(query, key.transpose(2, 3)) * self.head_dim**-0.5
        future = torch.full((q_len, q_len), torch.finfo(attn.dtype).min, device=attn.device, dtype=attn.dtype)
        attn = attn + torch.triu(future, diagonal=1)
        attn = nn.functional.softmax(attn, dim=-1, dtype=torch.float32).to(query.dtype)
        out = torch.matmul(attn, value).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out)


class MLP(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int) -> None:
        super().__init__()
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.act_fn = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.act_fn(self.up_proj(x)))


class DecoderLayer(nn.Module):
    def __init__(self, hidden_size: int, num_attention_heads: int, intermediate_size: int | None = None) -> None:
        super().__init__()
        self.self_attn = SelfAttention(hidden_size, num_attention_heads)
        self.mlp = MLP(hidden_size, intermediate_size or 4 * hidden_size)
        self.input_layernorm = nn.LayerNorm(hidden_size, eps=1e-5)
        self.post_attention_layernorm = nn.LayerNorm(hidden_size, eps=1e-5)

    def forward(self, hidden_states: Tensor) -> Tensor:
        residual = hidden_states
        hidden_states = self.input_layernorm(hidden_states)
        hidden_states = self.self_attn(hidden_states)
        hidden_states = residual + hidden_states

        residual = hidden_states
        hidden_states = self.post_attention_layernorm(hidden_states)
        hidden_states = self.mlp(hidden_states)
        return residual + hidden_states
