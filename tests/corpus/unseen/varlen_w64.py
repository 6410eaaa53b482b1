import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cumsum(torch.cat((zero, lengths)), dim=0)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    member = (place >= cu[:-1, None]) & (place < cu[1:, None])      # (batch, total)
    return (member[:, :, None] & member[:, None, :]).any(dim=0)


class SelfAttention:
    def __init__(self, causal):
        self.causal = causal

    def __call__(self, q, k, v):
        n, h, d = q.shape
        if n == 0:
            return q
        t = torch.promote_types(q.dtype, torch.float32)
        logits = torch.einsum("ihd,jhd->hij", q.to(t), k.to(t)) * d ** -0.5
        if self.causal:
            upper = torch.triu(torch.full((n, n), float("-inf"), dtype=t, device=q.device), 1)
            logits = logits + upper
        return torch.einsum("hij,jhd->ihd", logits.softmax(-1), v.to(t)).to(q.dtype)


def varlen_attention(query, key, value, lengths, causal=False):
    cuts = cumulative_lengths(lengths)[1:-1].tolist()
    segments = zip(*(x.tensor_split(cuts, dim=0) for x in (query, key, value)))
    attend = SelfAttention(causal)
    out = torch.cat([attend(q, k, v) for q, k, v in segments], dim=0)
    used = torch.arange(out.shape[0], device=out.device) < lengths.sum()
    return torch.where(used[:, None, None], out, torch.zeros_like(out))
