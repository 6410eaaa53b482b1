# wrong: window window-joined-with-or line 9
import torch
import torch.nn.functional as F


def sliding_window_mask(seq_len, window, device):
    i = torch.arange(seq_len, device=device)[:, None]
    j = torch.arange(seq_len, device=device)[None, :]
    return (j <= i) | (j > i - window)


def window_attention(query, key, value, window):
    *_, n, d = query.shape
    scores = torch.einsum("...id,...jd->...ij", query, key) / d ** 0.5
    mask = sliding_window_mask(n, window, query.device)
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.einsum("...ij,...jd->...id", F.softmax(scores, dim=-1), value)
