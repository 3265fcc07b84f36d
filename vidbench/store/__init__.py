"""The store: one DuckDB file that one process holds, and the files of each run beside it.

Base tables lie in schema ``base``; analysts see the views of ``main``. ``store.py`` opens the file and owns the one
writer thread; each noun has a small module that holds the only SQL about it: ``files``, ``jobs``, ``runs``,
``collections``, ``chats``, ``outbox``; ``query`` runs what users write, ``artifacts`` looks after the files.
"""
