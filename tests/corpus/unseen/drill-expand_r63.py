"""Strides by hand, as one would do in numpy."""
import numpy as np
import torch


def share_keys(key, heads):
    B, L, D = key.shape
    sb, sl, sd = key.stride()
    return torch.as_strided(key, (B, heads, L, D), (sb, 0, sl, sd), key.storage_offset())


def silence_head(key, heads, head):
    keep = torch.from_numpy(np.arange(heads) != head).to(key.device)
    return torch.where(keep[:, np.newaxis, np.newaxis], key[:, np.newaxis], 0)


def repeat_kv(key, repeats):
    idx = np.repeat(np.arange(key.shape[1]), repeats)     # 0 0 1 1 2 2
    return key[:, torch.from_numpy(idx).to(key.device)]


def add_slopes(scores, slopes):
    # (heads,) needs two axes after it
    return scores + slopes[:, np.newaxis, np.newaxis]


def distances(positions):
    p = positions
    return p[np.newaxis, :] - p[:, np.newaxis]


if __name__ == "__main__":
    print(distances(torch.tensor([3, 4, 5])))
    print(repeat_kv(torch.arange(3.0).reshape(1, 3, 1, 1), 2).ravel())
