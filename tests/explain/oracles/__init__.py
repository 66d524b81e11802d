"""Tests that findings and sentences agree with independent evidence: torch's messages, values, and a second run."""
