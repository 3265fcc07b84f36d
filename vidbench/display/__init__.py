"""How results look: static HTML for notebooks, and a plain-text twin of each for terminals.

Pure functions from contract objects to text. Everything that comes from a file, a model or a person is escaped; the
style follows the notebook's theme through its ``--jp-*`` colours.
"""

from vidbench.contract.clock import clock_text
from vidbench.display.chat import chat_html, chat_text
from vidbench.display.describe import describe_html, describe_text
from vidbench.display.files import file_html, file_text
from vidbench.display.jobs import job_html, job_text
from vidbench.display.segments import segments_html, segments_text
from vidbench.display.tables import table_html, table_text

__all__ = [
    "chat_html",
    "chat_text",
    "clock_text",
    "describe_html",
    "describe_text",
    "file_html",
    "file_text",
    "job_html",
    "job_text",
    "segments_html",
    "segments_text",
    "table_html",
    "table_text",
]
