import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class 注意力(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)) for t in (self.q(x), *self.kv(x).chunk(2, -1)))
        att = torch.einsum("bihd,bjhd->bhij", q * self.scale, k)
        i = torch.arange(x.size(1), device=x.device)
        att = att.masked_fill(i > i[:, None], float("-inf")).softmax(-1)  # 不能看后面的词
        return self.o(torch.einsum("bhij,bjhd->bihd", self.drop(att), v).flatten(2))


class 层(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.att = 注意力(dim, heads, p)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.pos = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.层 = nn.ModuleList(层(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.tok[tokens] + self.pos[: tokens.shape[1]]
        for 一层 in self.层:
            x = 一层(x)
        return F.linear(self.norm(x), self.tok)  # 输出层与词表共享参数


def next_token_loss(logits, tokens):
    wanted = tokens[:, 1:]
    logp = logits[:, :-1].log_softmax(-1).gather(-1, wanted.long()[..., None]).squeeze(-1)
    counts = wanted != PADDING
    return -logp.masked_fill(~counts, 0).sum() / counts.sum()


def _rates(learning_rate, steps):
    for k in range(steps):
        yield learning_rate * (1 - k / steps)


def train(model, tokens, steps, learning_rate):
    model.train()
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=learning_rate)
    losses = []
    for rate in _rates(learning_rate, steps):
        for group in opt.param_groups:
            group["lr"] = rate
        loss = next_token_loss(model(tokens), tokens)
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, max_norm=1)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :].div(temperature), dim=-1)


PICK = {
    True: lambda logits, t: logits[:, -1].argmax(-1, keepdim=True),
    False: lambda logits, t: torch.multinomial(next_token_probabilities(logits, t), num_samples=1),
}


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    pick, end = PICK[temperature == 0], tokens.shape[1] + count
    while tokens.shape[1] < end:
        tokens = torch.cat((tokens, pick(model(tokens[:, -model.block_size:]), temperature)), dim=-1)
    return tokens
