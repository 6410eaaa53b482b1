from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class ParallelAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, layer_number: int) -> None:
        super().__init__()
        self.layer_number = layer_number
        self.num_heads = num_heads
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.norm_factor = (hidden_size // num_heads) ** 0.5

    def forward(self, hidden_states: Tensor, inference_params: Cache) -> tuple[Tensor, Cache]:
        b, sq, h = hidden_states.shape
        mixed = self.query_key_value(hidden_states).view(b, sq, 3, self.num_heads, -1)
        q, k, v = mixed.permute(2, 0, 3, 1, 4)
        inference_params, k, v = inference_params.extended(self.layer_number, k, v)
        sk = k.size(2)
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.norm_factor
        if sq > 1:
            # one token alone sees all keys, so decoding needs no mask
            future = torch.ones(sq, sk, dtype=torch.bool, device=q.device).triu(diagonal=1)
            scores = scores.masked_fill(future, float("-inf"))
        probs = scores.softmax(dim=-1)
        context = torch.matmul(probs, v).transpose(1, 2).reshape(b, sq, h)
        return self.dense(context), inference_params


class ParallelTransformerLayer(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, layer_number: int) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(hidden_size)
        self.self_attention = ParallelAttention(hidden_size, num_heads, layer_number)
        self.post_attention_layernorm = nn.LayerNorm(hidden_size)
        self.dense_h_to_4h = nn.Linear(hidden_size, 4 * hidden_size)
        self.dense_4h_to_h = nn.Linear(4 * hidden_size, hidden_size)

    def forward(self, x: Tensor, inference_params: Cache) -> tuple[Tensor, Cache]:
        attn, inference_params = self.self_attention(self.input_layernorm(x), inference_params)
        x = x + attn
        mlp = self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(self.post_attention_layernorm(x))))
        return x + mlp, inference_params


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.word_embeddings = nn.Embedding(vocab_size, hidden_dim)
        self.position_embeddings = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(
            ParallelTransformerLayer(hidden_dim, num_heads, n) for n in range(num_layers)
        )
        self.final_layernorm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        offset = cache.length
        position_ids = offset + torch.arange(tokens.size(1), device=tokens.device)
        x = self.word_embeddings(tokens) + self.position_embeddings(position_ids)
        for layer in self.layers:
            x, cache = layer(x, cache)
        return F.linear(self.final_layernorm(x), self.word_embeddings.weight), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    out, step, cache = tokens, tokens, None
    while count > 0:
        logits, cache = model(step, cache)
        step = logits[:, -1, :].argmax(dim=-1).unsqueeze(1)
        out = torch.cat([out, step], dim=1)
        count -= 1
    return out
