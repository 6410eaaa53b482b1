from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for b in range(out.size(0)):
        for t in set(tokens[b].tolist()):
            z = out[b, t].item()
            out[b, t] = z / penalty if z > 0 else z * penalty
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    out = torch.full_like(logits, float("-inf"))
    top = torch.topk(logits, k, dim=1)
    out.scatter_(1, top.indices, top.values)
    return out


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    out = torch.full_like(logits, float("-inf"))
    for b in range(logits.size(0)):
        probs = torch.softmax(logits[b], 0)
        order = torch.argsort(probs, descending=True).tolist()
        values = probs.tolist()
        total = 0.0
        for t in order:
            out[b, t] = logits[b, t]
            total += values[t]
            if total >= p:
                break
    return out


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    out = logits.clone()
    for b in range(logits.size(0)):
        probs = torch.softmax(logits[b], 0)
        out[b][probs < p * probs.max()] = float("-inf")
    return out


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    stages = [
        (penalty != 1.0, lambda z: penalize(z, tokens, penalty)),
        (True, lambda z: z / temperature),
        (top_k > 0, lambda z: keep_top_k(z, top_k)),
        (top_p < 1.0, lambda z: keep_top_p(z, top_p)),
        (min_p > 0.0, lambda z: keep_min_p(z, min_p)),
    ]
    z = logits
    for active, stage in stages:
        if active:
            z = stage(z)
    return torch.softmax(z, dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    out = torch.empty(probs.size(0), dtype=torch.long, device=probs.device)
    for b, (row, u) in enumerate(zip(probs.tolist(), uniform.tolist())):
        running, pick = 0.0, 0
        for t, share in enumerate(row):
            if share > 0.0:
                pick = t
            running += share
            if running > u:
                break
        out[b] = pick
    return out


if __name__ == "__main__":
    z = torch.tensor([[0.50, 0.20, 0.15, 0.10, 0.05]], dtype=torch.float64).log()
    print(keep_top_p(z, 0.6), draw(z.exp(), torch.tensor([0.6], dtype=torch.float64)))
