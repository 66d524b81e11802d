"""A list that grows by one object per turn, like a data set of samples."""

from time import process_time

TURNS = 100


class Sample:
    def __init__(self, index):
        self.index = index


samples = []

clock = [process_time()]
for turn in range(TURNS):
    samples.append(Sample(turn))
clock.append(process_time())
