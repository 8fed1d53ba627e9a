"""Log files: from bytes on a disk to events in a window.

Reading order: `source` (what is configured), `discovery` (which files), `bytes_in` (decompressed and
decoded blocks of whole lines), `stamps` (the shapes of a time), `profile` (how one file is understood),
`events` (where an event begins and what it says), `search` (window and terms), `inspect` (a report on
one file).
"""
