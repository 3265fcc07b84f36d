"""What is written about a video: summaries and answers that rest on evidence.

A language model chooses among short evidence ids that the grammar lists; code turns them into rows, times
and quotes, and checks that the quotes carry what is claimed.
"""
