"""``python -m vidbench.cli``: the command line where no script is on the path."""

import sys

from vidbench.cli import main

sys.exit(main())
