import torch


def _index(lq, lk, like):
    rank = torch.arange(lq * lk, device=like.device)
    return (rank // lk + (lk - lq)).view(lq, lk), (rank % lk).view(lq, lk)


def _veto(mask, causal, scores):
    """Everything that speaks against a pair of query and key, as numbers to be added."""
    never = scores.new_full((), float("-inf"))
    zero = scores.new_zeros(())
    match (mask, causal):
        case None, False:
            return zero
        case None, _:
            row, col = _index(*scores.shape[-2:], scores)
            return torch.where(col > row, never, zero)
        case _, False:
            return torch.where(mask == 0, never, zero)
        case _, _:
            return _veto(mask, False, scores) + _veto(None, True, scores)


def attention(query, key, value, mask=None, causal=False):
    *_, d = query.shape
    scores = torch.einsum("zyxw,zyvw->zyxv", query, key) / d**0.5
    scores = scores + _veto(mask, causal, scores)
    peak = scores.max(dim=-1, keepdim=True).values
    peak = peak.nan_to_num(neginf=0.0).detach()       # an empty row has no peak
    up = (scores - peak).exp_()
    down = up.sum(-1, keepdim=True)
    mixed = torch.einsum("zyxv,zyvu->zyxu", up, value)
    return mixed / down.clamp_min(torch.finfo(down.dtype).tiny)
