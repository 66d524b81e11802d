"""What a share link shows: pictures, texts, files, frames."""
