"""The store: one DuckDB file that one process holds, and the files of each run beside it.

Importing this package loads no library; ``store.Store.open`` does. Base tables lie in schema ``base``:

=============================================  ==================================================
files, locations                               content, and where it was seen
collections, memberships                       named sets of files; ``all`` holds every one
jobs, attempts, job_runs                       what was asked for, each try, the runs of its plan
runs, checkpoints, artifacts, current          a stage on a file: how far, its files, what is shown
outbox                                         what the search index has to learn
thumbnails, segments, shots, speech, words,    what runs found, row by row
scene_text, segment_summaries,
file_summaries, passages
chats, citations                               answers and what they rest on
meta                                           workspace id and schema version
=============================================  ==================================================

Analysts see the views of ``main`` (``query.describe_views`` lists them). ``store`` opens the file, ``writer`` is the
one thread that writes, ``schema`` applies the numbered migrations, ``tables`` names the columns that stages fill.
Each noun has a small module that holds the only SQL about it: ``files``, ``jobs``, ``runs``, ``collections``,
``chats``, ``outbox``; ``query`` runs what users write, ``artifacts`` looks after the files.
"""
