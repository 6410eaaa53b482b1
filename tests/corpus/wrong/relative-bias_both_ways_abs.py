# wrong: relative-bias bucket-future-not-zero line 15
# fair: bucket-future-not-zero 24 25 34
import math
import torch


def one_bucket(r, bidirectional, num_buckets, max_distance):
    result = 0
    if bidirectional:
        num_buckets = num_buckets // 2
        if r > 0:
            result = num_buckets
        d = abs(r)
    else:
        d = abs(r)
    m = num_buckets // 2
    if d < m:
        return result + d
    large = m + int(math.log(d / m) / math.log(max_distance / m) * (num_buckets - m))
    return result + min(large, num_buckets - 1)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    flat = [one_bucket(r, bidirectional, num_buckets, max_distance) for r in relative_position.flatten().tolist()]
    return torch.tensor(flat, device=relative_position.device).reshape(relative_position.shape)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    rows = []
    for i in range(query_length):
        position = key_length - query_length + i
        row = [table[one_bucket(j - position, bidirectional, len(table), max_distance)] for j in range(key_length)]
        rows.append(torch.stack(row))
    return torch.stack(rows).movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    length, total = query.shape[-2], key.shape[-2]
    added = bias(table, length, total, bidirectional, max_distance)
    outputs = []
    for i in range(length):
        seen = total if bidirectional else total - length + i + 1
        scores = torch.einsum("bhd,bhkd->bhk", query[:, :, i], key[:, :, :seen]) + added[:, i, :seen]
        outputs.append(torch.einsum("bhk,bhkv->bhv", scores.softmax(-1), value[:, :, :seen]))
    return torch.stack(outputs, 2)
