"""Finding passages: lexical (SQLite FTS5) and by meaning (an exact scan over vectors), fused by rank.

The index is one SQLite file in the user's cache folder. It can always be made anew from the store, and keeps inside
itself how far it has followed the store's outbox. ``search.search`` is the way in.
"""
