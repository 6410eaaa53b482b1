# Kleines GPT: Modell, Verlust, Training, Textausgabe. Parameter teils roh, Norm von Hand.
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

PADDING = 0


class Norm(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(n)), nn.Parameter(torch.zeros(n))

    def forward(self, x: Tensor) -> Tensor:
        mitte = x - x.mean(-1, keepdim=True)
        return mitte * (mitte.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * self.gamma + self.beta


class Zweig(nn.Module):
    """Gemeinsame Oberklasse: x + f(norm(x))."""

    def __init__(self, n: int, tropfen: float):
        super().__init__()
        self.norm, self.tropfen = Norm(n), nn.Dropout(tropfen)

    def rechne(self, u: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        return x + self.tropfen(self.rechne(self.norm(x)))


class Blick(Zweig):
    def __init__(self, n: int, koepfe: int, tropfen: float):
        super().__init__(n, tropfen)
        self.koepfe = koepfe
        self.ein = nn.Parameter(torch.randn(n, 3, koepfe, n // koepfe) * n**-0.5)
        self.aus = nn.Parameter(torch.randn(koepfe, n // koepfe, n) * n**-0.5)

    def rechne(self, u: Tensor) -> Tensor:
        q, k, v = torch.einsum("btn,nrhd->rbhtd", u, self.ein).unbind()
        t = torch.arange(u.shape[1], device=u.device)
        strafe = torch.where(t[:, None] >= t, 0.0, -torch.inf).to(u.dtype)
        p = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5 + strafe, dim=-1)
        return torch.einsum("bhtd,hdn->btn", p @ v, self.aus)


class Denken(Zweig):
    def __init__(self, n: int, tropfen: float):
        super().__init__(n, tropfen)
        self.rauf, self.runter = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)

    def rechne(self, u: Tensor) -> Tensor:
        z = self.rauf(u)
        return self.runter(z * 0.5 * (1.0 + torch.erf(z / 2**0.5)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.woerter = nn.Embedding(vocab_size, hidden_dim)
        self.orte = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        teile = []
        for _ in range(num_layers):
            teile += [Blick(hidden_dim, num_heads, dropout), Denken(hidden_dim, dropout)]
        self.stapel = nn.Sequential(*teile, Norm(hidden_dim))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.woerter(tokens) + self.orte[: tokens.shape[1]]
        return self.stapel(x) @ self.woerter.weight.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    ziel = tokens[:, 1:]
    logp = logits[:, :-1].log_softmax(-1).gather(-1, ziel.unsqueeze(-1)).squeeze(-1)
    zaehlt = ziel.ne(PADDING)
    return -logp[zaehlt].mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimierer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    plan = LambdaLR(optimierer, lambda k: 1 - k / max(steps, 1))
    verluste = []
    for _ in range(steps):
        optimierer.zero_grad()
        verlust = next_token_loss(model(tokens), tokens)
        verlust.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        optimierer.step()
        plan.step()
        verluste.append(float(verlust.detach()))
    return verluste


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return logits[:, -1].div(temperature).softmax(-1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    with torch.no_grad():
        while count:
            logits = model(tokens[:, -model.block_size :])
            if temperature:
                neu = next_token_probabilities(logits, temperature).multinomial(1)
            else:
                neu = logits[:, -1:].argmax(-1)
            tokens, count = torch.cat([tokens, neu], 1), count - 1
    return tokens
