"""superbiz: a command-line tool that diagnoses incidents and shows the evidence for every claim."""

__version__ = "0.1.0"
