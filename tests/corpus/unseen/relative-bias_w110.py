import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ret = torch.zeros_like(relative_position)
    n = -relative_position
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).to(ret.dtype) * num_buckets
        n = torch.abs(n)
    else:
        n = torch.clamp(n, min=0)

    max_exact = num_buckets // 2
    is_small = n < max_exact
    ratio = torch.log(n.clamp(min=1).double() / max_exact) / torch.log(
        torch.tensor(max_distance / max_exact, dtype=torch.float64, device=n.device))
    val_if_large = max_exact + (ratio * (num_buckets - max_exact)).to(n.dtype)
    val_if_large = torch.clamp(val_if_large, max=num_buckets - 1)
    return ret + torch.where(is_small, n, val_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(key_length - query_length, key_length, device=table.device)[:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    rp_bucket = bucket(memory_position - context_position, bidirectional, max_distance=max_distance)
    return table[rp_bucket].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    qlen, klen = query.shape[2], key.shape[2]
    scores = torch.matmul(query, key.transpose(3, 2))
    scores = scores + bias(table, qlen, klen, bidirectional, max_distance)
    if not bidirectional:
        visible = torch.ones(qlen, klen, dtype=torch.bool, device=query.device).tril(klen - qlen)
        scores = scores.masked_fill(~visible, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), value)
