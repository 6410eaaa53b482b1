import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


def attend(x, wqkv, wo, heads, p):
    b, n, d = x.shape
    q, k, v = wqkv(x).chunk(3, dim=-1)
    q = q.reshape(b, n, heads, d // heads)
    k = k.reshape(b, n, heads, d // heads)
    v = v.reshape(b, n, heads, d // heads)
    a = torch.einsum("bihd,bjhd->bhij", q, k) / (d // heads) ** 0.5
    a = a.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), float("-inf")).softmax(-1)
    a = F.dropout(a, p)
    return wo(torch.einsum("bhij,bjhd->bihd", a, v).reshape(b, n, d))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.heads, self.p = block_size, num_heads, dropout
        self.emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        D = hidden_dim
        self.blocks = nn.ModuleList(
            nn.ModuleDict(dict(
                n1=nn.LayerNorm(D), qkv=nn.Linear(D, 3 * D), wo=nn.Linear(D, D),
                n2=nn.LayerNorm(D), up=nn.Linear(D, 4 * D), down=nn.Linear(4 * D, D),
            ))
            for _ in range(num_layers)
        )
        self.out_norm = nn.LayerNorm(D)

    def forward(self, tokens):
        x = self.emb(tokens) + self.pos(torch.arange(tokens.shape[1], device=tokens.device))
        for b in self.blocks:
            x = x + attend(b["n1"](x), b["qkv"], b["wo"], self.heads, self.p)
            x = x + F.dropout(b["down"](F.gelu(b["up"](b["n2"](x)))), self.p, self.training)
        return F.linear(self.out_norm(x), self.emb.weight)


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:]
    lp = F.log_softmax(logits[:, :-1], dim=-1)
    return F.nll_loss(lp.flatten(0, 1), targets.flatten(), ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    out = []
    for k in range(steps):
        lr = learning_rate * (1 - k / steps)
        for g in opt.param_groups:
            g["lr"] = lr
        loss = next_token_loss(model(tokens), tokens)
        out.append(loss.item())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
    return out


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, -1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        lg = model(tokens[:, -model.block_size:])
        if temperature:
            t = torch.multinomial(next_token_probabilities(lg, temperature), 1)
        else:
            t = torch.argmax(lg[:, -1], dim=-1, keepdim=True)
        tokens = torch.hstack([tokens, t])
    return tokens
