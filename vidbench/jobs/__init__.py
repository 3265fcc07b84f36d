"""Work that was asked for: worker processes, the queue, attempts, checkpoints, events and cancelling.

``channel`` is the wire between owner and worker, ``worker`` the process, ``pool`` the owner's side of the three
of them, ``events`` what listeners see, ``stages`` walks a plan, ``conversation`` answers a question, and
``scheduler`` gives every job its attempts.
"""
