"""BLOOM's trick in attention: softmax does not mind a shift, so slope * key position will do."""
import torch


def slopes(heads):
    power = 1
    while power * 2 <= heads:
        power *= 2
    exps = [8 * i / power for i in range(1, power + 1)]
    exps += [4 * i / power for i in range(1, 2 * (heads - power), 2)]
    return torch.pow(2.0, -torch.tensor(exps))


def bias(heads, query_length, key_length):
    rows = []
    for position in range(key_length - query_length, key_length):
        row = torch.full((key_length,), float("-inf"))
        row[: position + 1] = -torch.arange(position, -1, -1).float()
        rows.append(row)
    # slopes are positive: -inf stays -inf; + 0.0 makes -0 a 0
    return slopes(heads).view(-1, 1, 1) * torch.stack(rows) + 0.0


def attention(query, key, value):
    _, h, m, d = query.shape
    n = key.shape[2]
    s = torch.einsum("bhmd,bhnd->bhmn", query.double(), key.double()).div_(d**0.5)
    k_pos = torch.arange(n, device=s.device, dtype=torch.float64)
    s = s + slopes(h).to(s)[:, None, None] * (k_pos - (n - 1))
    late = torch.ones(m, n, dtype=torch.bool, device=s.device).triu(n - m + 1)
    s = s.masked_fill(late, float("-inf"))
    return torch.einsum("bhmn,bhnv->bhmv", s.softmax(-1), value.double()).to(query.dtype)
