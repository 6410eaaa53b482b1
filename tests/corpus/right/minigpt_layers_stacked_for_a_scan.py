# right: minigpt
# A GPT whose L layers are stacked in single tensors (leading axis l), as for a scan over layers.
import torch
import torch.nn.functional as F
from torch import einsum, nn

PADDING = 0


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        L, d, h = num_layers, hidden_dim, num_heads
        k = d // h
        assert k * h == d
        N = lambda *s: nn.Parameter(0.02 * torch.randn(*s))
        self.block_size = block_size
        self.E, self.P = N(vocab_size, d), N(block_size, d)
        self.layers = nn.ParameterDict({
            "g1": nn.Parameter(torch.ones(L, d)), "g2": nn.Parameter(torch.ones(L, d)),
            "qkv": N(L, 3, h, d, k), "o": N(L, h, k, d),
            "up": N(L, d, 4 * d), "bup": nn.Parameter(torch.zeros(L, 4 * d)), "down": N(L, 4 * d, d),
        })
        self.L = L
        self.g = nn.Parameter(torch.ones(d))

    @staticmethod
    def norm(u, g):
        return F.layer_norm(u, g.shape, g)

    def layer(self, x, w):
        u = self.norm(x, w["g1"])
        q, k, v = einsum("btd,shdk->sbhtk", u, w["qkv"])
        S = einsum("bhik,bhjk->bhij", q, k) / q.shape[-1] ** 0.5
        t = torch.arange(x.shape[1], device=x.device)
        A = S.masked_fill(t[None, :] > t[:, None], float("-inf")).softmax(-1)
        x = x + einsum("bhij,bhjk,hkd->bid", A, v, w["o"])
        u = self.norm(x, w["g2"])
        return x + F.gelu(u @ w["up"] + w["bup"]) @ w["down"]

    def forward(self, tokens):
        x = F.embedding(tokens, self.E) + self.P[None, : tokens.shape[1]]
        for l in range(self.L):
            x = self.layer(x, {name: p[l] for name, p in self.layers.items()})
        return einsum("btd,vd->btv", self.norm(x, self.g), self.E)


def next_token_loss(logits, tokens):
    y = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), y, ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    theta = list(model.parameters())
    opt = torch.optim.AdamW(theta, lr=learning_rate)
    losses = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(theta, 1.0)
        opt.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits, temperature):
    z = logits[:, -1, :] / temperature
    return torch.exp(z - torch.logsumexp(z, -1, keepdim=True))


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    n = tokens.shape[1]
    text = torch.cat((tokens, tokens.new_zeros(tokens.shape[0], count)), 1)
    for t in range(n, n + count):
        logits = model(text[:, max(0, t - model.block_size) : t])
        if temperature > 0:
            text[:, t] = torch.multinomial(next_token_probabilities(logits, temperature), 1)[:, 0]
        else:
            text[:, t] = logits[:, -1].argmax(-1)
    return text
