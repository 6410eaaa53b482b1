import math
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch


@dataclass
class Tape:
    """Backward steps, written down on the way there and played from the end."""

    steps: list = field(default_factory=list)
    grads: dict = field(default_factory=dict)

    def record(self, step):
        self.steps.append(step)

    def add(self, name, g):
        self.grads[name] = self.grads[name] + g if name in self.grads else g

    def play(self):
        for step in reversed(self.steps):
            step(self.grads)


@contextmanager
def tape():
    with torch.no_grad():
        yield Tape()


def attention_backward(query, key, value, grad_output, causal=False):
    out_dtype = query.dtype
    wide = torch.promote_types(out_dtype, torch.float32)
    Q, K, V, dO = (t.to(wide) for t in (query, key, value, grad_output))
    n, m, c = Q.size(-2), K.size(-2), 1 / math.sqrt(Q.size(-1))

    with tape() as t:
        S = torch.matmul(Q, K.mT) * c

        def through_product(g):
            t.add("Q", torch.matmul(g["S"], K) * c)
            t.add("K", torch.matmul(g["S"].mT, Q) * c)

        t.record(through_product)

        if causal:
            S = S + torch.full((n, m), -torch.inf, dtype=wide, device=S.device).triu(m - n + 1)
        P = torch.softmax(S, dim=-1)

        def through_softmax(g):
            mean = torch.linalg.vecdot(P, g["P"], dim=-1).unsqueeze(-1)
            t.add("S", P * (g["P"] - mean))

        t.record(through_softmax)

        def through_mix(g):
            t.add("V", torch.matmul(P.mT, g["O"]))
            t.add("P", torch.matmul(g["O"], V.mT))

        t.record(through_mix)

        t.add("O", dO)
        t.play()
        return tuple(t.grads[name].to(out_dtype) for name in "QKV")
