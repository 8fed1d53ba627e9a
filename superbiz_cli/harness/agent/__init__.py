"""The ReAct loop and its one gate to the tools. Knows nothing of the judge."""
