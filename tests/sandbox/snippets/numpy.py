import numpy as np

a = np.random.rand(50, 50)
print(np.linalg.svd(a)[1].shape, np.fft.fft(a).shape)
np.save("/tmp/a.npy", a)
print(np.load("/tmp/a.npy", mmap_mode="r").shape)
