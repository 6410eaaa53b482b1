import math, torch

def cumulative_lengths(lengths):
    return torch.tensor([0, *lengths.tolist()], device=lengths.device).cumsum(0)

def document_mask(lengths, total):
    blocks = torch.block_diag(*[torch.ones(n, n) for n in lengths.tolist()]).bool()
    mask = torch.zeros(total, total, dtype=torch.bool)
    n = int(lengths.sum())
    mask[:n, :n] = blocks[:n, :n]
    return mask.to(lengths.device)

def softmax(x):
    x = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return x / x.sum(dim=-1, keepdim=True)

def attend(q, k, v, causal):
    if len(q) == 0: return q # nothing to do
    q, k, v = [t.permute(1, 0, 2) for t in (q, k, v)] # (h, n, d)
    att = torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(q.size(2))
    if causal:
        keep = torch.tril(torch.ones(att.shape[1:], device=att.device)) > 0
        att = att.masked_fill(~keep, -math.inf)
    return torch.bmm(softmax(att), v).permute(1, 0, 2)

def varlen_attention(query, key, value, lengths, causal=False):
    f = torch.float64 if query.dtype == torch.float64 else torch.float32
    sizes = lengths.tolist()
    q, k, v = [t.to(f).split(sizes, dim=0) for t in (query, key, value)]
    out = torch.cat([attend(*qkv, causal) for qkv in zip(q, k, v)], dim=0)
    return out.to(query.dtype)
