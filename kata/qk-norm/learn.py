"""The steps of the lesson on QK-norm, each after its `# %%`; the last part makes the picture."""

# %% scores that grow with the queries
import torch

torch.set_printoptions(precision=3, sci_mode=False)
scores = torch.tensor([1.0, 0.5, 0.0])
for size in (1, 4, 16):
    print(size, (size * scores).softmax(0))

# %% RMSNorm: the direction stays, the length does not
def rms_norm(u):
    return u / u.square().mean(-1, keepdim=True).add(1e-6).sqrt()

query = torch.tensor([3.0, 4.0, 0.0, 0.0])
for size in (1, 100):
    normed = rms_norm(size * query)
    print(normed, normed.square().mean())

# %% each head by itself
heads = torch.tensor([[3.0, 4.0], [0.03, 0.04]])
print(rms_norm(heads))
print(rms_norm(heads.flatten()).view(2, 2))

# %% the largest score
for head_dim in (4, 64):
    normed = rms_norm(torch.ones(head_dim))
    print(head_dim, round((normed @ normed).item() / head_dim ** 0.5, 3))

# %% a gain sharpens again
gain = 3.0
keys = rms_norm(torch.tensor([[3.0, 4.0, 0.0, 0.0], [4.0, 3.0, 0.0, 0.0]]))
for factor in (1.0, gain):
    print((keys @ rms_norm(query) * factor / 2).softmax(0))

# %% picture
plain = torch.stack([(size * scores).softmax(0) for size in (1, 4, 16)])
picture = plain.tolist()
rows = ("q", "4 q", "16 q")
columns = ("key 0", "key 1", "key 2")
