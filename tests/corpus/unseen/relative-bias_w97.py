import math
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    # vectorised by a table of distances: sort the distance in between the lower edges of the buckets
    rel = relative_position
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    if bidirectional:
        ahead = rel >= 0
        dist = rel.abs()
    else:
        ahead = torch.zeros_like(rel, dtype=torch.bool)
        dist = torch.relu(-rel)
    edges = list(range(m)) + [m * (max_distance / m) ** (i / (n - m)) for i in range(n - m)]
    edges = torch.tensor(edges, dtype=torch.float64, device=rel.device)
    number = torch.bucketize(dist.double(), edges, right=True) - 1
    return number + n * ahead


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k_pos = torch.arange(key_length, device=table.device)
    q_pos = k_pos[key_length - query_length:]
    idx = bucket(k_pos[None] - q_pos[:, None], bidirectional, table.size(0), max_distance)
    return torch.stack([column[idx] for column in table.unbind(1)])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    B, H, T, D = query.shape
    S = key.shape[2]
    att = torch.baddbmm(
        bias(table, T, S, bidirectional, max_distance).repeat(B, 1, 1),
        query.reshape(B * H, T, D),
        key.reshape(B * H, S, D).transpose(1, 2),
    )
    if not bidirectional:
        seen = torch.ones(T, S, dtype=torch.bool, device=query.device).tril(S - T)
        att = att.masked_fill(~seen, float('-inf'))
    return att.softmax(-1).bmm(value.reshape(B * H, S, -1)).view(B, H, T, -1)
