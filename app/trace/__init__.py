"""The format of traces: their records, decoding of untrusted bytes, validation, and look-ups. Imports no other part of app."""
