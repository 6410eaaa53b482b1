"""The steps of the lesson on cross-entropy, each after its `# %%`; the last part makes the picture."""

# %% what the model says, and what it costs
import torch

torch.set_printoptions(precision=3, sci_mode=False)
logits = torch.tensor([1.0, 2.0, 4.0]).log()
p = logits.exp() / logits.exp().sum()
print(p)
print(-p.log())

# %% far apart, the long way and the short one
far = torch.tensor([0.0, 200.0])
shifted = far - far.max()
print((shifted.exp() / shifted.exp().sum()).log())
print(shifted - shifted.exp().sum().log())

# %% the gradient is what is said minus what is so
q = torch.tensor([1.0, 0.0, 0.0])
print(p - q, (p - q).sum())

# %% a smoothed target
smoothed = 0.7 * q + 0.3 / 3
print(smoothed, smoothed.sum())
print(p - smoothed)

# %% two that count and one that does not
losses = torch.tensor([2.0, 4.0, 9.0])
counted = torch.tensor([True, True, False])
print((losses * counted).sum() / counted.sum(), (losses * counted).mean())

# %% picture
picture = torch.stack([p, q, p - q])
rows = ("p", "q", "p − q")
columns = [f"class {i}" for i in range(3)]
