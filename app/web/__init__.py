"""The web process: routes, pages, streams, and limits on clients."""
