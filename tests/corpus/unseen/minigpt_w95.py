import torch, math
from torch import nn
from torch.nn import functional as F
PADDING = 0

class Layer(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.h = h
        s.n = nn.ModuleList([nn.LayerNorm(d), nn.LayerNorm(d)])
        s.w = nn.ModuleList([nn.Linear(d, 3*d), nn.Linear(d, d), nn.Linear(d, 4*d), nn.Linear(4*d, d)])

    def forward(s, x):
        B, T, D = x.shape
        q, k, v = s.w[0](s.n[0](x)).view(B, T, 3, s.h, D//s.h).permute(2, 0, 3, 1, 4)
        a = q @ k.mT / math.sqrt(D//s.h)
        i = torch.arange(T, device=x.device)
        a = torch.where(i[:, None] >= i, a, torch.finfo(a.dtype).min)
        x = x + s.w[1]((a.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D))
        return x + s.w[3](F.gelu(s.w[2](s.n[1](x))))

class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.emb = nn.ModuleDict({'tok': nn.Embedding(vocab_size, hidden_dim), 'pos': nn.Embedding(block_size, hidden_dim)})
        self.layers = nn.Sequential(*[Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.emb['tok'](tokens) + self.emb['pos'].weight[:tokens.shape[1]]
        return F.linear(self.f(self.layers(x)), self.emb['tok'].weight)

def next_token_loss(logits, tokens):
    lp = logits[:, :-1].log_softmax(-1)
    y = tokens[:, 1:]
    return F.nll_loss(lp.flatten(0, 1), y.flatten(), ignore_index=PADDING)

class Trainer:
    def __init__(self, model, lr, steps):
        self.model, self.lr, self.steps = model, lr, steps
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)

    def clip(self):
        for p in self.model.parameters():
            torch.nn.utils.clip_grad_norm_(p, 1.0)

    def step(self, k, tokens):
        self.opt.param_groups[0]['lr'] = self.lr * (1 - k / self.steps)
        self.opt.zero_grad()
        loss = next_token_loss(self.model(tokens), tokens)
        loss.backward()
        self.clip()
        self.opt.step()
        return loss.item()

def train(model, tokens, steps, learning_rate):
    model.train()
    t = Trainer(model, learning_rate, steps)
    return [t.step(k, tokens) for k in range(steps)]

def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1, :] / temperature, -1)

def generate(model, tokens, count, temperature=0.0):
    model.eval()
    out = tokens
    with torch.no_grad():
        for _ in range(count):
            z = model(out[:, -model.block_size:])
            if temperature:
                n = torch.multinomial(next_token_probabilities(z, temperature), 1)
            else:
                n = z[:, -1].argmax(-1)[:, None]
            out = torch.cat((out, n), 1)
    return out
