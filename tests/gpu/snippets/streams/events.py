import torch
side, ready = torch.cuda.Stream(), torch.cuda.Event()
x = torch.zeros(3, device="cuda")
x += 1
ready.record()
with torch.cuda.stream(side):
    side.wait_event(ready)
    y = x + 1
    y *= 3
done = torch.cuda.Event()
done.record(side)
done.synchronize()
print(done.query(), y.tolist())

# True [6.0, 6.0, 6.0]
