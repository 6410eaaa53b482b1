# wrong: varlen document-edge-off line 15
import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    return F.pad(lengths.cumsum(0).to(torch.int32), (1, 0), value=0)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    positions = torch.arange(total, dtype=torch.int32, device=lengths.device)
    valid = positions < cu[-1]
    # which sequence each position is in
    seq_id = torch.searchsorted(cu[1:], positions)
    return (seq_id.unsqueeze(1) == seq_id.unsqueeze(0)) & valid.unsqueeze(1) & valid.unsqueeze(0)


def varlen_attention(query, key, value, lengths, causal=False):
    outs = []
    at = 0
    for n in lengths.tolist():
        q, k, v = (x[at:at + n].movedim(1, 0) for x in (query, key, value))
        w = q @ k.mT * query.shape[-1] ** -0.5
        if causal:
            w = w.masked_fill(torch.ones_like(w, dtype=torch.bool).triu(1), -torch.inf)
        outs.append((w.softmax(-1) @ v).movedim(0, 1))
        at += n
    outs.append(torch.zeros_like(query[at:]))
    return torch.cat(outs)
