# right: split-k
import torch


def chunk_attention(query, key, value, seen):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    scores = scores.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, lse


def merge(outputs, lses):
    weights = torch.softmax(lses, dim=0).nan_to_num()
    return (outputs * weights.unsqueeze(-1)).sum(0), torch.logsumexp(lses, dim=0)


def split_k_attention(query, key, value, lengths, splits):
    filled = torch.arange(key.shape[2], device=lengths.device)[None, :] < lengths[:, None]
    pieces = zip(key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2),
                 filled.tensor_split(splits, dim=1))
    # tensor_split gives empty pieces where there are more of them than keys
    found = [chunk_attention(query, k, v, f) for k, v, f in pieces if k.shape[2]]
    outputs, lses = map(torch.stack, zip(*found))
    return merge(outputs, lses)[0]
