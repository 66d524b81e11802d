"""The content of share links: pictures, texts, files, frames."""
