from __future__ import annotations
import torch
from torch import nn, Tensor
from torch.nn.utils.rnn import pad_sequence


class Shelf(nn.Module):
    """Keys and values of one head."""

    def __init__(self, width: int, d: int):
        super().__init__()
        self.kv = nn.Linear(width, 2 * d, bias=False)

    def forward(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        return self.kv(memory).chunk(2, -1)


class Reader(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.o = nn.Linear(width, width)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.reader = Reader(hidden_dim)
        self.shelves = nn.ModuleList(Shelf(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))

    def stock(self, memory: Tensor, memory_lengths: Tensor):
        """Ragged on purpose: a list of samples, each without its padding."""
        per_head = [shelf(memory) for shelf in self.shelves]
        k = torch.stack([p[0] for p in per_head], 1)  # (B, H, S, d)
        v = torch.stack([p[1] for p in per_head], 1)
        return [(k[b, :, :n], v[b, :, :n]) for b, n in enumerate(memory_lengths.tolist())]

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            cache = self.stock(memory, memory_lengths)
        q = self.reader.q(x).unflatten(-1, (len(self.shelves), -1)).transpose(1, 2)
        rows = []
        for q_b, (k_b, v_b) in zip(q, cache):
            w = (q_b @ k_b.mT / q_b.shape[-1] ** 0.5).softmax(-1)
            rows.append((w @ v_b).transpose(0, 1).flatten(1))
        return self.reader.o(pad_sequence(rows, batch_first=True)), cache
