import torch


def log_probs(logits):
    z = logits.to(torch.promote_types(logits.dtype, torch.float32))
    z = z - z.amax(-1, keepdims=True)
    return z - torch.log(torch.exp(z).sum(-1, keepdims=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    def sequence_loss(logits, targets):
        # logits (length, classes), targets (length,)
        counts = targets != ignore_index
        logp = log_probs(logits)
        at_target = logp.gather(-1, torch.where(counts, targets, 0)[:, None])[:, 0]
        loss = -(1 - label_smoothing) * at_target - label_smoothing * logp.mean(-1)
        return torch.where(counts, loss, 0.0).sum() / counts.sum()

    return torch.vmap(sequence_loss)(logits, targets).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    classes = logits.shape[-1]
    counts = (targets != ignore_index)[..., None]
    p = torch.exp(log_probs(logits))
    onehot = torch.arange(classes, device=logits.device) == targets[..., None]
    q = (1 - label_smoothing) * onehot + label_smoothing / classes
    return torch.where(counts, p - q, 0.0) / counts.sum()
