"""End-to-end tests in a real browser, with a real server and the real sandbox."""
