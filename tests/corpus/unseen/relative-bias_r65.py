import math
import torch
import torch.nn.functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r = relative_position.long()
    n = num_buckets >> bidirectional
    m = n >> 1
    d = r.abs() if bidirectional else r.neg().clamp_(min=0)
    far = d.clamp(min=m).double().div_(m).log_().div_(math.log(max_distance / m)).mul_(n - m).long().add_(m)
    out = torch.where(d < m, d, far.clamp_(max=n - 1))
    return out.add_(r.gt(0), alpha=n) if bidirectional else out


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # the bias is Toeplitz: q + k - 1 numbers per head are enough, the rest is a strided view
    line = torch.arange(1 - key_length, query_length, device=table.device)
    vals = F.embedding(bucket(line, bidirectional, table.size(0), max_distance), table)
    vals = vals.t().contiguous()
    span = query_length + key_length - 1
    # entry (i, j): distance k - q = j - i - (key_length - query_length)
    rows = vals.as_strided((table.size(1), query_length, key_length), (span, 1, 1))
    return rows.flip(1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    B, H, Q, D = query.shape
    K = key.size(2)
    b = bias(table, Q, K, bidirectional, max_distance)
    if not bidirectional:
        b = b + torch.full((Q, K), -math.inf, dtype=b.dtype, device=b.device).triu_(K - Q + 1)
    b = b.expand(B, H, Q, K).reshape(B * H, Q, K).to(query.dtype)
    s = torch.baddbmm(b, query.reshape(B * H, Q, D), key.reshape(B * H, K, D).mT)
    return torch.bmm(s.softmax(-1), value.reshape(B * H, K, -1)).view(B, H, Q, -1)
