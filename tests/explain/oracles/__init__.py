"""What contradicts a finding or a sentence, asked of witnesses that it did not hear: torch's messages, values, a second run."""
