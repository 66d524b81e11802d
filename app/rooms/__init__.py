"""Rooms: a class that follows one teacher's run, predicts together, and says where it is lost."""
