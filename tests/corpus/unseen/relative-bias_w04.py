import math
import torch


def _log_bucket(dist, exact, total, far):
    scaled = torch.log(dist.clamp_min(exact).to(torch.float64) / exact) / math.log(far / exact)
    return exact + torch.floor(scaled * (total - exact)).to(torch.int64)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    per_side = num_buckets // 2 if bidirectional else num_buckets
    exact = per_side // 2
    dist = relative_position.abs() if bidirectional else relative_position.neg().clamp_min(0)
    out = torch.where(dist < exact, dist, _log_bucket(dist, exact, per_side, max_distance))
    if bidirectional:
        out = out + per_side * relative_position.gt(0)
    return out.clamp_max(num_buckets - 1)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    offset = key_length - query_length
    rel = torch.tensor([[k - (q + offset) for k in range(key_length)] for q in range(query_length)], device=table.device)
    b = bucket(rel, bidirectional, len(table), max_distance)
    return torch.stack([column[b] for column in table.unbind(1)])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q_len, k_len = query.shape[2], key.shape[2]
    logits = query @ key.transpose(2, 3) + bias(table, q_len, k_len, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        q_pos = torch.arange(q_len, device=logits.device) + k_len - q_len
        hide = torch.arange(k_len, device=logits.device) > q_pos[:, None]
        logits = logits.masked_fill(hide, -math.inf)
    return logits.softmax(-1) @ value
