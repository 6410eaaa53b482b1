from typing import Iterator
import torch


def _branches(back: torch.Tensor) -> Iterator[list[int]]:
    """every token's way up to the prefix, itself first"""
    steps = back.tolist()
    ways: list[list[int]] = []
    for token, step in enumerate(steps):
        parent = token - step
        ways.append([token] + (ways[parent] if parent >= 0 else []))
        yield ways[-1]


def tree_mask(back):
    n = len(back)
    rows, cols = [], []
    for token, way in enumerate(_branches(back)):
        rows += [token] * len(way)
        cols += way
    where = torch.tensor([rows, cols], dtype=torch.long).view(2, -1)
    ones = torch.ones(where.shape[1], dtype=torch.int8)
    return torch.sparse_coo_tensor(where, ones, (n, n)).to_dense().bool().to(back.device)


def tree_attention(query, key, value, back):
    """Token by token: each gathers the keys that it sees, so that nothing has to be hidden."""
    dtype = query.dtype
    drafted = query.shape[2]
    prefix = key.shape[2] - drafted
    root = query.shape[-1] ** 0.5
    common = list(range(prefix))
    rows = []
    for token, way in enumerate(_branches(back)):
        index = torch.tensor(common + [prefix + t for t in way], device=key.device)
        k = key.index_select(2, index).float() if dtype != torch.float64 else key.index_select(2, index)
        v = value.index_select(2, index).to(k.dtype)
        w = (k @ query[:, :, token, :, None].to(k.dtype) / root).softmax(dim=2)
        rows.append((w * v).sum(2))
    return torch.stack(rows, dim=2).to(dtype)
