"""The nouns of vidbench, defined once for engine, store, server and widgets.

Everything here is a frozen dataclass, an enumeration or a Protocol; importing it loads the standard
library only. Times are seconds of the stream's own clock, intervals are half-open ``[start, end)``,
``created_at`` is Unix milliseconds, sizes are bytes, and pictures are measured in display pixels.
"""
