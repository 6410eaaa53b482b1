# wrong: minigpt tie-broken line 81
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn, optim

PAD_ID = 0


@dataclass
class Config:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h = cfg.num_heads
        self.d = cfg.hidden_dim // cfg.num_heads
        self.qkv = nn.Linear(cfg.hidden_dim, 3 * cfg.hidden_dim)
        self.proj = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, self.h, self.d) for p in self.qkv(x).chunk(3, dim=-1))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / self.d**0.5
        i = torch.arange(t, device=x.device)
        hidden = i[None, :] > i[:, None]
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(dim=-1))
        y = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.proj(y.reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1 = nn.LayerNorm(cfg.hidden_dim)
        self.attn = Attention(cfg)
        self.ln2 = nn.LayerNorm(cfg.hidden_dim)
        self.up = nn.Linear(cfg.hidden_dim, 4 * cfg.hidden_dim)
        self.down = nn.Linear(4 * cfg.hidden_dim, cfg.hidden_dim)
        self.drop = nn.Dropout(cfg.dropout)

    def mlp(self, x):
        return self.down(F.gelu(self.up(x)))

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln1(x)))
        x = x + self.drop(self.mlp(self.ln2(x)))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        cfg = Config(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        nn.init.normal_(self.tok_emb.weight, std=0.02)
        nn.init.normal_(self.pos_emb.weight, std=0.02)

    def forward(self, tokens):
        t = tokens.shape[1]
        positions = torch.arange(t, device=tokens.device)
        tok = self.tok_emb(tokens)
        pos = self.pos_emb(positions)
        x = self.blocks(tok + pos)
        return self.lm_head(self.ln_f(x))


def next_token_loss(logits, tokens):
    logits = logits[:, :-1].flatten(0, 1)
    labels = tokens[:, 1:].flatten()
    loss = F.cross_entropy(logits, labels, ignore_index=PAD_ID)
    return loss


def train(model, tokens, steps, learning_rate):
    opt = optim.AdamW(model.parameters(), lr=learning_rate)
    sched = optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.0, total_iters=steps)
    model.train()
    history = []
    for _ in range(steps):
        opt.zero_grad(set_to_none=True)
        logits = model(tokens)
        loss = next_token_loss(logits, tokens)
        history.append(loss.item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        sched.step()
    return history


def next_token_probabilities(logits, temperature):
    scaled = logits[:, -1] / temperature
    return scaled.softmax(dim=-1)


@torch.inference_mode()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        context = tokens[:, -model.block_size:]
        logits = model(context)
        greedy = logits[:, -1].argmax(-1, keepdim=True)
        if temperature > 0:
            greedy = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, greedy], dim=1)
    return tokens
