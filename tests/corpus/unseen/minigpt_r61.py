"""nanoGPT from memory, squeezed into the five names of the exercise."""
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F

PADDING = 0


@dataclass
class GPTConfig:
    vocab_size: int = 50304
    block_size: int = 1024
    n_embd: int = 768
    n_head: int = 12
    n_layer: int = 12
    dropout: float = 0.0


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout, self.resid_dropout = nn.Dropout(config.dropout), nn.Dropout(config.dropout)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        self.register_buffer("bias", torch.ones(config.block_size, config.block_size).tril(), persistent=False)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in (q, k, v))  # (B, nh, T, hs)
        att = (q @ k.transpose(-2, -1)) * k.size(-1) ** -0.5
        att = att.masked_fill(self.bias[:T, :T] == 0, float("-inf"))
        y = self.attn_dropout(F.softmax(att, dim=-1)) @ v
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = nn.ModuleDict(dict(
            c_fc=nn.Linear(config.n_embd, 4 * config.n_embd),
            gelu=nn.GELU(),
            c_proj=nn.Linear(4 * config.n_embd, config.n_embd),
            dropout=nn.Dropout(config.dropout),
        ))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        h = self.ln_2(x)
        for layer in self.mlp.values():
            h = layer(h)
        return x + h


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        config = GPTConfig(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = config.block_size
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(config.vocab_size, config.n_embd),
            wpe=nn.Embedding(config.block_size, config.n_embd),
            drop=nn.Dropout(config.dropout),
            h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
            ln_f=nn.LayerNorm(config.n_embd),
        ))
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        nn.init.normal_(self.lm_head.weight, std=0.02)

    def forward(self, tokens):
        t = self.transformer
        x = t.drop(t.wte(tokens) + t.wpe(torch.arange(tokens.size(1), device=tokens.device)))
        for block in t.h:
            x = block(x)
        return self.lm_head(t.ln_f(x))


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:].masked_fill(tokens[:, 1:] == PADDING, -1)
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), targets.reshape(-1), ignore_index=-1)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)
    lossi = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        lossi.append(loss.item())
    return lossi


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        idx_cond = tokens if tokens.size(1) <= model.block_size else tokens[:, -model.block_size:]
        logits = model(idx_cond)
        idx_next = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        if temperature > 0:
            idx_next = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat((tokens, idx_next), dim=1)
    return tokens
