"""What is seen and heard: shots, speech and scene text, one library a file, each behind a small Protocol."""
