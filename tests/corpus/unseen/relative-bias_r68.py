import math

import torch
import torch.nn.functional as F


class Buckets:
    def __init__(self, both, count, limit):
        self.both = both
        self.n = count // 2 if both else count
        self.exact = self.n // 2
        self.limit = limit

    def wide(self, d):
        return min(self.n - 1, self.exact + int(math.log(d / self.exact) / math.log(self.limit / self.exact) * (self.n - self.exact)))

    def of(self, r):
        d = abs(r) if self.both else max(0, -r)
        b = d if d < self.exact else self.wide(d)
        return b + self.n if self.both and r > 0 else b


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    b = Buckets(bidirectional, num_buckets, max_distance)
    distinct, where = torch.unique(relative_position, return_inverse=True)
    return torch.tensor([b.of(int(r)) for r in distinct], device=relative_position.device, dtype=torch.long)[where]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    keys = torch.arange(key_length, device=table.device)
    relative = keys.expand(query_length, -1) - keys[key_length - query_length :, None]
    return F.embedding(bucket(relative, bidirectional, table.shape[0], max_distance), table).permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    nq, nk = query.shape[-2], key.shape[-2]
    added = bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        added = added + torch.full((nq, nk), -math.inf, device=added.device, dtype=added.dtype).triu(1 + nk - nq)
    outs = [F.softmax(torch.baddbmm(added[h].expand(len(query), nq, nk), query[:, h], key[:, h].mT), -1).bmm(value[:, h])
            for h in range(query.shape[1])]
    return torch.stack(outs, dim=1)
