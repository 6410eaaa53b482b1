import numpy as np
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r = relative_position
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    d = torch.abs(r) if bidirectional else torch.maximum(-r, torch.zeros_like(r))
    with_log = torch.log(torch.maximum(d, torch.ones_like(d)).to(torch.float64) / m)
    far = m + torch.trunc(with_log / np.log(max_distance / m) * (n - m)).to(d.dtype)
    far = torch.minimum(far, torch.full_like(far, n - 1))
    out = torch.where(d < m, d, far)
    if bidirectional:
        out = out + n * (r > 0).to(out.dtype)
    return out


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    q = k[key_length - query_length:]
    idx = bucket(k[np.newaxis, :] - q[:, np.newaxis], bidirectional,
                 num_buckets=table.shape[0], max_distance=max_distance)
    return table[idx.long()].moveaxis(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    Tq, Tk = query.shape[2], key.shape[2]
    A = query @ key.swapaxes(-1, -2)
    A = A + bias(table, Tq, Tk, bidirectional)
    if not bidirectional:
        i = torch.arange(Tk - Tq, Tk, device=A.device)[:, np.newaxis]
        j = torch.arange(Tk, device=A.device)[np.newaxis, :]
        A = torch.where(j > i, -np.inf, A)
    A = A - A.amax(axis=-1, keepdims=True)
    W = torch.exp(A)
    W = W / W.sum(axis=-1, keepdims=True)
    return W @ value
