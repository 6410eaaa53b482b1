import torch
from torch import nn
from torch.nn import functional as F
from dataclasses import dataclass

PADDING = 0


@dataclass
class Config:
    vocab_size: int
    block_size: int
    n_embd: int
    n_head: int
    n_layer: int
    dropout: float = 0.0


class Block(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.c = c
        self.ln_1 = nn.LayerNorm(c.n_embd)
        self.c_attn = nn.Linear(c.n_embd, 3 * c.n_embd, bias=False)
        self.c_proj = nn.Linear(c.n_embd, c.n_embd, bias=False)
        self.ln_2 = nn.LayerNorm(c.n_embd)
        self.mlp = nn.Sequential(nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd))
        self.drop = nn.Dropout(c.dropout)

    def attend(self, x):
        B, T, C = x.shape
        heads = lambda t: t.view(B, T, self.c.n_head, -1).transpose(1, 2)
        q, k, v = map(heads, self.c_attn(x).split(C, dim=2))
        att = (q @ k.mT) * q.shape[-1] ** -0.5
        att = att.masked_fill(~torch.ones(T, T, device=x.device, dtype=torch.bool).tril(), float("-inf")).softmax(-1)
        return self.c_proj((self.drop(att) @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.drop(self.attend(self.ln_1(x)))
        return x + self.drop(self.mlp(self.ln_2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        c = Config(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = block_size
        self.wte = nn.Embedding(c.vocab_size, c.n_embd)
        self.wpe = nn.Embedding(c.block_size, c.n_embd)
        self.h = nn.ModuleList(Block(c) for _ in range(c.n_layer))
        self.ln_f = nn.LayerNorm(c.n_embd)
        self.lm_head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens):
        pos = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        for blk in self.h:
            x = blk(x)
        return self.lm_head(self.ln_f(x))


def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    out = []
    for step in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        out.append(loss.item())
    return out


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature > 0:
            idx = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            idx = logits[:, -1].argmax(dim=-1)
        tokens = torch.cat((tokens, idx), dim=1)
    return tokens
