"""Rooms: students follow a teacher's run, vote on predictions, and mark steps where they are lost."""
