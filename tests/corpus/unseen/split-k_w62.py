from dataclasses import dataclass

import torch


@dataclass
class Chunk:
    start: int
    stop: int

    def seen(self, lengths):
        t = torch.arange(self.start, self.stop, device=lengths.device)
        return t.unsqueeze(0) < lengths.unsqueeze(1)


def plan(n_keys, splits):
    size = -(-n_keys // splits)
    return [Chunk(a, min(a + size, n_keys)) for a in range(0, n_keys, size)]


def chunk_attention(query, key, value, seen):
    hp = torch.promote_types(query.dtype, torch.float32)
    scores = torch.matmul(query.to(hp), key.to(hp).transpose(2, 3)) / query.shape[3] ** 0.5
    scores = scores.masked_fill(~seen[:, None, None, :], torch.finfo(hp).min)
    lse = torch.logsumexp(scores, dim=3)
    empty = lse == float("-inf")
    weights = torch.exp(scores - lse.masked_fill(empty, 0.0).unsqueeze(3))
    out = torch.matmul(weights, value.to(hp))
    return out.masked_fill(empty.unsqueeze(3), 0.0), lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    none = lse == float("-inf")
    w = torch.exp(lses - lse.masked_fill(none, 0.0))
    return torch.einsum("sbhq,sbhqv->bhqv", w, outputs), lse


def split_k_attention(query, key, value, lengths, splits):
    results = [
        chunk_attention(query, key[:, :, c.start:c.stop], value[:, :, c.start:c.stop], c.seen(lengths))
        for c in plan(key.shape[2], splits)
    ]
    out, _ = merge(torch.stack([o for o, _ in results]), torch.stack([l for _, l in results]))
    return out.type_as(query)
