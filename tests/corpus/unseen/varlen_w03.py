import torch


def cumulative_lengths(lengths):
    return torch.tensor([0] + lengths.cumsum(0).tolist(), dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    cu = cumulative_lengths(lengths)
    for s, e in zip(cu[:-1], cu[1:]):
        mask[s:e, s:e] = True
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    total, n_heads, head_dim = query.shape
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    outputs, offset = [], 0
    for n in lengths.tolist():
        if n == 0:
            break
        q = query.narrow(0, offset, n).to(acc) * head_dim ** -0.5
        k = key.narrow(0, offset, n).to(acc)
        v = value.narrow(0, offset, n).to(acc)
        per_head = []
        for h in range(n_heads):
            att = q[:, h] @ k[:, h].T
            if causal:
                att = att.masked_fill(~torch.ones_like(att, dtype=torch.bool).tril(), float("-inf"))
            per_head.append(att.softmax(-1) @ v[:, h])
        outputs.append(torch.stack(per_head, dim=1))
        offset += n
    # whatever is left of the buffer is empty
    outputs.append(torch.zeros(total - offset, n_heads, head_dim, dtype=acc, device=query.device))
    return torch.cat(outputs).to(query.dtype)
