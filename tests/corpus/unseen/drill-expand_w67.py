"""Expanding and repeating; our lab keeps the channel-like axis last, so heads go there and back."""
import torch


def share_keys(key, heads):
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    copies = [torch.zeros_like(key) if h == head else key for h in range(heads)]
    return torch.stack(copies, dim=1)


def repeat_kv(key, repeats):
    # (B, G, T, D) -> (G, B, T, D), repeat the leading axis, and back
    gbtd = key.transpose(0, 1)
    return gbtd.repeat_interleave(repeats, dim=0).transpose(0, 1)


def add_slopes(scores, slopes):
    # (B, H, Tq, Tk) -> (B, Tq, Tk, H): a bias over channels
    last = scores.permute(0, 2, 3, 1)
    biased = last + slopes
    return biased.permute(0, 3, 2, 1)


def distances(positions):
    key_at, query_at = torch.meshgrid(positions, positions, indexing="xy")
    return key_at - query_at
