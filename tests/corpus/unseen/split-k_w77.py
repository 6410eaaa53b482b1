import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    scores = (query @ key.mT) * query.shape[-1] ** -0.5
    scores = torch.where(seen[:, None, None, :], scores, float("-inf"))
    top = scores.amax(dim=-1, keepdim=True)
    top = torch.where(top == float("-inf"), torch.zeros_like(top), top)
    e = (scores - top).exp()
    z = e.sum(dim=-1, keepdim=True)
    out = (e @ value) / torch.where(z == 0, torch.ones_like(z), z)
    return out, (z.log() + top).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor):
    e = lses.exp()
    z = e.sum(dim=0)
    share = e / torch.where(z == 0, torch.ones_like(z), z)
    out = (share.unsqueeze(-1) * outputs).sum(dim=0)
    return out.to(outputs.dtype), z.log()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    borders = torch.linspace(0, n, splits + 1).round().long().tolist()
    results = []
    for lo, hi in zip(borders[:-1], borders[1:]):
        if hi > lo:
            seen = torch.arange(lo, hi, device=key.device)[None] < lengths[:, None]
            results.append(chunk_attention(query, key[..., lo:hi, :], value[..., lo:hi, :], seen))
    outputs = torch.stack([r[0] for r in results])
    lses = torch.stack([r[1] for r in results])
    return merge(outputs, lses)[0]
