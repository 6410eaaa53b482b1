"""The steps of the lesson on drill-matmul, each after its `# %%`; the last part makes the picture."""

# %% one sum
import torch

a = torch.tensor([[1, 2], [3, 4]])
b = torch.tensor([[10, 0], [0, 1]])
print(a[0, 0] * b[0, 1] + a[0, 1] * b[1, 1])
print(a @ b)

# %% letters for axes
print(torch.equal(torch.einsum("ij,jk->ik", a, b), a @ b))
print(torch.einsum("ij,lk->ik", a, b))

# %% a table of products, then a sum
terms = a[:, :, None] * b[None, :, :]
print(terms.shape, torch.equal(terms.sum(dim=1), a @ b))

# %% axes in front are a batch
p, q = torch.rand(2, 3, 4, 5), torch.rand(2, 3, 5, 6)
print((p @ q).shape)
folded = torch.bmm(p.flatten(0, 1), q.flatten(0, 1))
print(folded.shape, torch.allclose(folded.view(2, 3, 4, 6), p @ q))

# %% what broadcasting costs
print(4096 * 4096 * 128 * 4 // 2**30, "GiB")
print(4096 * 128 * 4 // 2**20, "MiB")

# %% picture
picture = a @ b
rows, columns = ("i 0", "i 1"), ("k 0", "k 1")
