import torch, io

torch.save({"a": torch.ones(3)}, "/tmp/x.pt")
print(torch.load("/tmp/x.pt"))
print(torch.load("/tmp/x.pt", mmap=True))
b = io.BytesIO()
torch.save(torch.ones(2), b)
