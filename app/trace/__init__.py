"""The format of traces: their records, decoding of untrusted bytes, validation, and look-ups. This package imports no other
package of app."""
