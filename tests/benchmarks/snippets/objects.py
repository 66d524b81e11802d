"""A list that grows by an object a turn, as a data set of samples does."""

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
