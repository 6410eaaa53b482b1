from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class GPT2ishConfig:
    vocab_size: int
    n_positions: int
    n_embd: int
    n_head: int
    n_layer: int
    layer_norm_epsilon: float = 1e-5


class GPT2ishAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads, self.head_dim = config.n_head, config.n_embd // config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)

    def _split_heads(self, tensor):
        new_shape = tensor.size()[:-1] + (self.num_heads, self.head_dim)
        return tensor.view(new_shape).permute(0, 2, 1, 3)  # (batch, head, seq_length, head_features)

    def forward(self, hidden_states, layer_past=None):
        query, key, value = map(self._split_heads, self.c_attn(hidden_states).chunk(3, dim=2))
        if layer_past is not None:
            past_key, past_value = layer_past
            key = torch.cat((past_key, key), dim=-2)
            value = torch.cat((past_value, value), dim=-2)
        present = (key, value)

        attn_weights = torch.matmul(query, key.transpose(-1, -2)) / self.head_dim ** 0.5
        query_length, key_length = query.size(-2), key.size(-2)
        bias = torch.tril(torch.ones((key_length, key_length), dtype=torch.bool, device=query.device))
        causal_mask = bias[key_length - query_length : key_length, :key_length]
        mask_value = torch.full([], torch.finfo(attn_weights.dtype).min, dtype=attn_weights.dtype)
        attn_weights = torch.where(causal_mask, attn_weights, mask_value.to(attn_weights.device))
        attn_output = attn_weights.softmax(dim=-1) @ value
        attn_output = attn_output.permute(0, 2, 1, 3).flatten(2)
        return self.c_proj(attn_output), present


class GPT2ishBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        h, eps = config.n_embd, config.layer_norm_epsilon
        self.ln_1, self.attn = nn.LayerNorm(h, eps=eps), GPT2ishAttention(config)
        self.ln_2 = nn.LayerNorm(h, eps=eps)
        self.mlp = nn.Sequential(nn.Linear(h, 4 * h), nn.GELU(), nn.Linear(4 * h, h))

    def forward(self, hidden_states, layer_past=None):
        attn_output, present = self.attn(self.ln_1(hidden_states), layer_past=layer_past)
        hidden_states = attn_output + hidden_states
        return hidden_states + self.mlp(self.ln_2(hidden_states)), present


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.config = config = GPT2ishConfig(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.h = nn.ModuleList([GPT2ishBlock(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    @property
    def block_size(self):
        return self.config.n_positions

    def forward(self, tokens, cache=None):
        input_ids, past_key_values = tokens, cache
        past_length = 0 if past_key_values is None else past_key_values[0][0].size(-2)
        position_ids = torch.arange(past_length, past_length + input_ids.shape[-1], device=input_ids.device)
        hidden_states = self.wte(input_ids) + self.wpe(position_ids.unsqueeze(0))
        presents = ()
        for i, block in enumerate(self.h):
            layer_past = None if past_key_values is None else past_key_values[i]
            hidden_states, present = block(hidden_states, layer_past)
            presents = presents + (present,)
        return self.lm_head(self.ln_f(hidden_states)), presents


@torch.inference_mode()
def generate(model, tokens, count):
    model.eval()
    past, model_inputs, input_ids = None, tokens, tokens
    while count > 0:
        logits, past = model(model_inputs, past)
        model_inputs = logits[:, -1:, :].argmax(dim=-1)
        input_ids = torch.cat([input_ids, model_inputs], dim=-1)
        count -= 1
    return input_ids
