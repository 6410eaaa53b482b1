import math
import torch


def chunk_attention(query, key, value, seen):
    head_dim = query.shape[-1]
    products = torch.matmul(query, key.transpose(-1, -2))
    scores = products / math.sqrt(head_dim)
    working_dtype = torch.promote_types(scores.dtype, torch.float32)
    scores = scores.to(working_dtype)
    hidden = ~seen[:, None, None, :]
    scores = scores.masked_fill(hidden, -math.inf)

    row_max = scores.max(dim=-1, keepdim=True).values
    row_max = torch.where(row_max == -math.inf, torch.zeros_like(row_max), row_max)
    exponentials = torch.exp(scores - row_max)
    row_sum = exponentials.sum(dim=-1, keepdim=True)
    chunk_lse = (torch.log(row_sum) + row_max).squeeze(-1)
    safe_sum = torch.where(row_sum == 0, torch.ones_like(row_sum), row_sum)
    weights = exponentials / safe_sum
    chunk_output = torch.matmul(weights, value.to(working_dtype))
    return chunk_output.to(query.dtype), chunk_lse


def merge(outputs, lses):
    sums = torch.exp(lses)
    total = sums.sum(dim=0)
    merged_lse = torch.log(total)
    safe_total = torch.where(total == 0, torch.ones_like(total), total)
    shares = sums / safe_total
    weighted = shares.unsqueeze(-1) * outputs.to(shares.dtype)
    merged = weighted.sum(dim=0)
    return merged.to(outputs.dtype), merged_lse


def split_k_attention(query, key, value, lengths, splits):
    key_length = key.shape[2]
    chunk_size = math.ceil(key_length / splits)
    positions = torch.arange(key_length, device=key.device)
    all_outputs = []
    all_lses = []
    for start in range(0, key_length, chunk_size):
        stop = min(start + chunk_size, key_length)
        seen = positions[None, start:stop] < lengths.to(key.device)[:, None]
        output, lse = chunk_attention(query, key[:, :, start:stop], value[:, :, start:stop], seen)
        all_outputs.append(output)
        all_lses.append(lse)
    merged, _ = merge(torch.stack(all_outputs), torch.stack(all_lses))
    return merged
