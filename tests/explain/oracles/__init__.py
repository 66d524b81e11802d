"""Check findings and sentences against independent evidence: torch's messages, its values, and a run without a recorder."""
