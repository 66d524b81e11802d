"""What webs on one Redis share: who lives, where rooms are, one order of runs, rates, the latest recordings, stops, files."""
