# right: v3
# pure functions over a flat dict of weights; the module only keeps them
import functools

import torch
import torch.nn.functional as F


def project(weights, name, x):
    return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def attend(weights, x, mask, drop):
    q, k, v = map(functools.partial(project, weights, x=x), ("query", "key", "value"))
    logits = torch.baddbmm(x.new_zeros(()), q, k.mT, beta=0, alpha=x.size(-1) ** -0.5)
    if mask is not None:
        logits = logits.masked_fill(mask.eq(0), float("-inf"))
    return project(weights, "output", torch.bmm(drop(logits.log_softmax(-1).exp()), v))


class SelfAttentionV3(torch.nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.rate = dropout
        for name in ("query", "key", "value", "output"):
            self.add_module(name, torch.nn.Linear(hidden_dim, hidden_dim))

    def forward(self, x, attention_mask=None):
        drop = functools.partial(F.dropout, p=self.rate, training=self.training)
        return attend(dict(self.named_parameters()), x, attention_mask, drop)
