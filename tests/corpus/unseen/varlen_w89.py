import torch


class Packed:
    """sequences in one buffer"""

    def __init__(self, lengths, total):
        self.lengths = [int(n) for n in lengths]
        self.total = total

    def spans(self):
        begin = 0
        for n in self.lengths:
            if n == 0:
                break
            yield begin, begin + n
            begin += n


def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=lengths.dtype, device=lengths.device)
    return torch.cat([zero, lengths]).cumsum(0)


def document_mask(lengths, total):
    blocks = [torch.ones(int(n), int(n), dtype=torch.bool) for n in lengths]
    used = int(lengths.sum())
    blocks.append(torch.zeros(total - used, total - used, dtype=torch.bool))
    return torch.block_diag(*blocks).bool().to(lengths.device)


def attend(q, k, v, causal):
    q, k, v = (t.permute(1, 0, 2) for t in (q, k, v))
    s = torch.bmm(q, k.permute(0, 2, 1)) * q.shape[-1] ** -0.5
    if causal:
        s = s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(), float("-inf"))
    return torch.bmm(torch.softmax(s, -1), v).permute(1, 0, 2)


def varlen_attention(query, key, value, lengths, causal=False):
    packed = Packed(lengths, query.shape[0])
    pieces, end = [], 0
    for a, b in packed.spans():
        pieces.append(attend(query[a:b], key[a:b], value[a:b], causal))
        end = b
    pieces.append(torch.zeros_like(query[end:]))
    return torch.cat(pieces, 0)
