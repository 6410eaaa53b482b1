from functools import reduce

import torch
from torch import nn


class Lambda(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, state):
        return self.fn(state)


class Update(nn.Module):
    """state -> state with one more entry, worked out by a layer from another entry."""

    def __init__(self, target, source, layer):
        super().__init__()
        self.target, self.source, self.layer = target, source, layer

    def forward(self, state):
        return {**state, self.target: self.layer(state[self.source])}


def score(s):
    return {**s, "a": s["q"] @ s["k"].swapaxes(1, 2) / s["q"].shape[2] ** 0.5}


def hide(s):
    if s["mask"] is None:
        return s
    a = s["a"]
    return {**s, "a": a.masked_fill(~s["mask"].to(torch.bool), torch.finfo(a.dtype).min)}


def read(s):
    return {**s, "c": s["a"] @ s["v"]}


def thin_out(module, args, output):
    return module.after(output)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        share = nn.Softmax(dim=-1)
        share.after = nn.Dropout(dropout)
        share.register_forward_hook(thin_out)
        new = lambda: nn.Linear(hidden_dim, hidden_dim)  # noqa: E731
        self.steps = nn.Sequential(
            Update("v", "x", new()), Update("q", "x", new()), Update("k", "x", new()),
            Lambda(score), Lambda(hide), Update("a", "a", share), Lambda(read),
            Update("y", "c", new()),
        )

    def forward(self, x, attention_mask=None):
        return reduce(lambda s, step: step(s), self.steps, {"x": x, "mask": attention_mask})["y"]
