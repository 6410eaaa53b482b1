import torch


# compress first: only rows which count are ever touched
def _rows(logits, targets, ignore_index):
    flat = logits.reshape(-1, logits.shape[-1])
    where = torch.nonzero(targets.reshape(-1) != ignore_index).squeeze(1)
    rows = flat[where]
    if rows.dtype in (torch.float16, torch.bfloat16):
        rows = rows.float()
    return rows, targets.reshape(-1)[where], where


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows, t, _ = _rows(logits, targets, ignore_index)
    top = rows.max(dim=1).values.detach()
    log_z = torch.log(torch.exp(rows - top[:, None]).sum(dim=1)) + top
    picked = rows[torch.arange(len(t), device=t.device), t]
    hard = log_z - picked
    if label_smoothing == 0:
        return hard.mean()
    soft = log_z - rows.mean(dim=1)
    return ((1 - label_smoothing) * hard + label_smoothing * soft).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows, t, where = _rows(logits, targets, ignore_index)
    n, classes = rows.shape
    e = torch.exp(rows - rows.max(dim=1, keepdim=True).values)
    g = e / e.sum(dim=1, keepdim=True)
    g = g - label_smoothing / classes
    g[torch.arange(n, device=t.device), t] -= 1 - label_smoothing
    out = torch.zeros(logits.shape, dtype=rows.dtype, device=logits.device).view(-1, classes)
    out[where] = g / n
    return out.view(logits.shape).to(logits.dtype)
