# wrong: minigpt dropout-in-generation line 93
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        size = cfg.n_embd // cfg.n_head
        self.key = nn.Linear(cfg.n_embd, size, bias=False)
        self.query = nn.Linear(cfg.n_embd, size, bias=False)
        self.value = nn.Linear(cfg.n_embd, size, bias=False)

    def forward(self, x):
        T = x.shape[1]
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ self.value(x)


class MultiHead(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = nn.ModuleList([Head(cfg) for _ in range(cfg.n_head)])
        self.proj = nn.Linear(cfg.n_embd, cfg.n_embd)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.sa = MultiHead(cfg)
        self.ffwd = nn.Sequential(
            nn.Linear(cfg.n_embd, 4 * cfg.n_embd), nn.GELU(), nn.Linear(4 * cfg.n_embd, cfg.n_embd)
        )
        self.ln1 = nn.LayerNorm(cfg.n_embd)
        self.ln2 = nn.LayerNorm(cfg.n_embd)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, n_embd, n_head, n_layer):
        super().__init__()
        cfg = SimpleNamespace(n_embd=n_embd, n_head=n_head)
        self.block_size = block_size
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)

    def forward(self, idx):
        tok = self.token_embedding_table(idx)
        pos = self.position_embedding_table(torch.arange(idx.shape[1], device=idx.device))
        return F.linear(self.ln_f(self.blocks(tok + pos)), self.token_embedding_table.weight)


def next_token_loss(logits, idx):
    B, T, C = logits.shape
    targets = F.pad(idx[:, 1:], (0, 1), value=0)
    return F.cross_entropy(logits.view(B * T, C), targets.view(B * T), ignore_index=0)


def train(model, idx, steps, lr):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = lr * (1 - k / steps)
        loss = next_token_loss(model(idx), idx)
        for p in model.parameters():
            p.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1, :] / temperature, -1)


def generate(model, idx, max_new_tokens, temperature=0.0):
    was = model.training
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits = model(idx[:, -model.block_size:])
            if temperature == 0:
                nxt = logits[:, -1, :].topk(1).indices
            else:
                nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            idx = torch.cat((idx, nxt), dim=1)
    model.train(was)
    return idx
