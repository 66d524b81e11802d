"""Where runs happen: admission, and this machine's sandbox."""
