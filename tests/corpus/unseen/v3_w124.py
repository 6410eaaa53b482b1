from functools import partial, reduce

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        make = partial(nn.Linear, hidden_dim, hidden_dim, bias=False)
        self.query, self.key, self.value, self.out = make(), make(), make(), make()
        keep = 1.0 - dropout
        self.thin = partial(F.dropout, p=keep)
        self.norm = partial(torch.softmax, dim=-1)
        self.root = hidden_dim ** 0.5

    def hide(self, mask, scores):
        return scores if mask is None else scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)

    def forward(self, x, attention_mask=None):
        steps = (
            partial(self.hide, attention_mask),
            self.norm,
            partial(self.thin, training=self.training),
        )
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / self.root
        weights = reduce(lambda acc, step: step(acc), steps, scores)
        return self.out(weights @ self.value(x))
