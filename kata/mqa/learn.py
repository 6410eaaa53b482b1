"""The steps of the lesson on mqa, each after its `# %%`; the last part makes the picture."""

# %% one key for all heads
import torch

query = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).view(1, 3, 1, 2)
key = torch.tensor([[1.0, 2.0], [3.0, 0.0]]).view(1, 1, 2, 2)
scores = query @ key.mT
print(scores.shape)
print(scores[0, :, 0])

# %% without the axis of one
batch = torch.randn(4, 2, 2)
try:
    torch.randn(4, 3, 1, 2) @ batch.mT
except RuntimeError as fault:
    print(str(fault)[:66])

# %% where it runs all the same
torch.manual_seed(0)
batch, query4 = torch.randn(3, 2, 2), torch.randn(3, 3, 1, 2)
right = query4 @ batch.unsqueeze(1).mT
wrong = query4 @ batch.mT
print(wrong.shape == right.shape, torch.equal(wrong, right))

# %% parameters of the projections
hidden_dim, heads = 64, 8
head_dim = hidden_dim // heads
print(4 * hidden_dim**2, 2 * hidden_dim**2 + 2 * hidden_dim * head_dim)

# %% picture
picture = scores[0, :, 0]
rows = ("head 0", "head 1", "head 2")
columns = ("key 0", "key 1")
