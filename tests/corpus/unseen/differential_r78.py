import math

import torch
from torch import nn


def начальная_лямбда(глубина):
    return 0.8 - 0.6 * math.exp(-0.3 * глубина)


class Lambda(nn.Module):
    """Два скалярных произведения, общие для всех голов."""

    def __init__(self, ширина, начало):
        super().__init__()
        # строки: lq1, lk1, lq2, lk2
        self.векторы = nn.Parameter(torch.randn(2, 2, ширина) * 0.1)
        self.начало = начало

    def forward(self):
        e = self.векторы.prod(dim=1).sum(dim=-1).exp()
        return e[0] - e[1] + self.начало


class Head(nn.Module):
    def __init__(self, hidden_dim, head_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, 2 * head_dim)
        self.k = nn.Linear(hidden_dim, 2 * head_dim)
        self.v = nn.Linear(hidden_dim, 2 * head_dim)

    def forward(self, x, лямбда, будущее):
        q, k = (p(x).unflatten(-1, (2, -1)) for p in (self.q, self.k))
        оценки = torch.einsum("bisd,bjsd->bsij", q, k) / math.sqrt(q.size(-1))
        карты = оценки.masked_fill(будущее, float("-inf")).softmax(-1)
        знаки = torch.stack([torch.ones_like(лямбда), -лямбда])
        return torch.einsum("s,bsij,bjd->bid", знаки, карты, self.v(x))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // (2 * num_heads)
        начало = начальная_лямбда(depth)
        self.лямбда = Lambda(d, начало)
        self.головы = nn.ModuleList(Head(hidden_dim, d) for _ in range(num_heads))
        self.норма = nn.RMSNorm(2 * d, eps=1e-5)  # одна на все головы
        self.множитель = 1 - начало
        self.выход = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        лямбда = self.лямбда()
        t = torch.arange(x.size(1), device=x.device)
        будущее = t[None, :] > t[:, None]
        части = [self.норма(голова(x, лямбда, будущее)) * self.множитель for голова in self.головы]
        return self.выход(torch.cat(части, dim=-1))
