import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT * q.shape[-1] ** -0.5
        s = s + torch.full(s.shape[-2:], float("-inf"), device=s.device, dtype=s.dtype).triu(1)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        mk_mlp = lambda: nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))
        self.n1 = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(num_layers))
        self.n2 = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(num_layers))
        self.att = nn.ModuleList(Attention(hidden_dim, num_heads) for _ in range(num_layers))
        self.mlp = nn.ModuleList(mk_mlp() for _ in range(num_layers))
        self.fin = nn.LayerNorm(hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, tokens):
        x = self.drop(self.tok.weight[tokens] + self.pos.weight[: tokens.shape[1]])
        for n1, att, n2, mlp in zip(self.n1, self.att, self.n2, self.mlp):
            x = x + self.drop(att(n1(x)))
            x = x + self.drop(mlp(n2(x)))
        return F.linear(self.fin(x), self.tok.weight)


def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    model.train()
    for step in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_(p, 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    out = tokens
    while out.shape[1] < tokens.shape[1] + count:
        logits = model(out[:, -model.block_size :])
        if temperature == 0.0:
            new = logits[:, -1:].argmax(-1)
        else:
            new = next_token_probabilities(logits, temperature).multinomial(1)
        out = torch.cat((out, new), 1)
    return out
