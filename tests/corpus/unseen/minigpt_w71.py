import torch, math
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Att(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.h = h
        self.qkv, self.o = nn.Linear(c, 3 * c), nn.Linear(c, c)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(c // self.h)
        s = s.masked_fill(torch.tril(torch.ones(t, t, device=x.device)) == 0, float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class Blk(nn.Module):
    def __init__(self, c, h, p):
        super().__init__()
        self.n1, self.n2, self.a = nn.LayerNorm(c), nn.LayerNorm(c), Att(c, h)
        self.m = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c), nn.Dropout(p))

    def forward(self, x):
        x = x + self.a(self.n1(x))
        return x + self.m(self.n2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.te = nn.Embedding(vocab_size, hidden_dim)
        self.pe = nn.Embedding(block_size, hidden_dim)
        self.bs = nn.Sequential(*[Blk(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.nf = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.te.weight, std=0.02)
        nn.init.normal_(self.pe.weight, std=0.02)

    def forward(self, tokens):
        x = self.te(tokens) + self.pe.weight[: tokens.size(1)]
        return self.nf(self.bs(x)) @ self.te.weight.T


def next_token_loss(logits, tokens):
    v = logits.size(-1)
    return F.cross_entropy(logits[:, :-1].reshape(-1, v), tokens[:, 1:].reshape(-1), ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    out = []
    for i in range(steps):
        for g in opt.param_groups:
            g["lr"] = learning_rate * (1 - i / steps)
        opt.zero_grad()
        l = next_token_loss(model(tokens), tokens)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        l.backward()
        opt.step()
        out.append(l.item())
    return out


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        lg = model(tokens[:, -model.block_size:])
        if temperature == 0:
            n = lg[:, -1].argmax(-1, keepdim=True)
        else:
            n = torch.multinomial(next_token_probabilities(lg, temperature), 1)
        tokens = torch.cat([tokens, n], 1)
    return tokens
