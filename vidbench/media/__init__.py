"""Media files: what they are, their exact time, the one decode pass, frames and sound.

The only room that opens media. PyAV is imported inside the functions that need it.
"""
