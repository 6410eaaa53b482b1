import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0

GPT2_TINY = SimpleNamespace(
    vocab_size=64, n_positions=64, n_embd=48, n_head=4, n_layer=3, pdrop=0.0, layer_norm_epsilon=1e-5
)


class GPT2Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.pdrop)

    def _split_heads(self, tensor):
        return tensor.view(*tensor.shape[:2], self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        query, key, value = map(self._split_heads, self.c_attn(hidden_states).chunk(3, dim=2))
        attn_weights = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        length = hidden_states.size(1)
        causal_mask = torch.ones(length, length, dtype=torch.bool, device=hidden_states.device).tril()
        attn_weights = attn_weights.masked_fill(~causal_mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = self.attn_dropout(F.softmax(attn_weights, dim=-1))
        attn_output = torch.matmul(attn_weights, value)
        return self.c_proj(attn_output.permute(0, 2, 1, 3).flatten(2))


class GPT2Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.attn = GPT2Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd)

    def forward(self, hidden_states):
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))
        feed_forward = self.c_proj(F.gelu(self.c_fc(self.ln_2(hidden_states))))
        return hidden_states + feed_forward


class MiniGPT(nn.Module):
    def __init__(self, config=GPT2_TINY):
        super().__init__()
        self.block_size = config.n_positions
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.drop = nn.Dropout(config.pdrop)
        self.h = nn.ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)

    def forward(self, input_ids):
        position_ids = torch.arange(input_ids.size(1), device=input_ids.device)
        hidden_states = self.drop(self.wte(input_ids) + self.wpe(position_ids))
        for block in self.h:
            hidden_states = block(hidden_states)
        return self.ln_f(hidden_states) @ self.wte.weight.t()


def next_token_loss(logits, tokens):
    shift_logits = logits[:, :-1].flatten(0, 1)
    shift_labels = tokens[:, 1:].flatten()
    loss_mask = (tokens[:, :-1] != PADDING).flatten()
    token_losses = F.cross_entropy(shift_logits, shift_labels, reduction="none")
    return token_losses[loss_mask].sum() / loss_mask.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    losses = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        context = tokens[:, -model.block_size:]
        logits = model(context)
        if temperature == 0:
            next_token = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        else:
            next_token = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        tokens = torch.cat([tokens, next_token], dim=1)
    return tokens
