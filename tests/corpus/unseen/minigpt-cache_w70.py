import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.out_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, past_key_value=None):
        bsz, tgt_len, _ = hidden_states.size()
        query, key, value = (
            proj(hidden_states).view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        if past_key_value is not None:
            key = torch.cat([past_key_value[0], key], dim=2)
            value = torch.cat([past_key_value[1], value], dim=2)
        src_len = key.size(2)
        mask = torch.full((tgt_len, src_len), torch.finfo(query.dtype).min, dtype=query.dtype, device=query.device)
        mask = mask.triu(src_len - tgt_len + 1)
        attn = (query @ key.transpose(2, 3)) * self.head_dim ** -0.5 + mask
        out = (F.softmax(attn, dim=-1) @ value).transpose(1, 2).reshape(bsz, tgt_len, -1)
        return self.out_proj(out), (key, value)


class DecoderLayer(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.self_attn = Attention(hidden_size, num_heads)
        self.self_attn_layer_norm = nn.LayerNorm(hidden_size, eps=1e-5)
        self.fc1 = nn.Linear(hidden_size, 4 * hidden_size)
        self.fc2 = nn.Linear(4 * hidden_size, hidden_size)
        self.final_layer_norm = nn.LayerNorm(hidden_size, eps=1e-5)

    def forward(self, hidden_states, past_key_value=None):
        attn_out, present = self.self_attn(self.self_attn_layer_norm(hidden_states), past_key_value)
        hidden_states = hidden_states + attn_out
        residual = hidden_states
        hidden_states = self.fc2(F.gelu(self.fc1(self.final_layer_norm(hidden_states))))
        return residual + hidden_states, present


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.embed_tokens = nn.Embedding(vocab_size, hidden_dim)
        self.embed_positions = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([DecoderLayer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.layer_norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens, cache=None):
        input_ids, past_key_values = tokens, cache
        past_len = past_key_values[0][0].shape[2] if past_key_values is not None else 0
        positions = torch.arange(past_len, past_len + input_ids.size(1), device=input_ids.device)
        hidden_states = self.embed_tokens(input_ids) + self.embed_positions(positions)
        next_cache = []
        for idx, layer in enumerate(self.layers):
            past = past_key_values[idx] if past_key_values is not None else None
            hidden_states, present = layer(hidden_states, past)
            next_cache.append(present)
        return F.linear(self.layer_norm(hidden_states), self.embed_tokens.weight), tuple(next_cache)


def prepare_inputs_for_generation(input_ids, past_key_values=None):
    # only the last token has to be computed, the rest is in the cache
    return {"tokens": input_ids[:, -1:], "cache": past_key_values}


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    input_ids, past_key_values = tokens, None
    for _ in range(count):
        model_inputs = prepare_inputs_for_generation(input_ids, past_key_values)
        logits, past_key_values = model(model_inputs["tokens"], model_inputs["cache"])
        next_tokens = torch.argmax(logits[:, -1, :], dim=-1)
        input_ids = torch.cat([input_ids, next_tokens[:, None]], dim=-1)
    return input_ids
