"""The deterministic control boundary around the model. Reading order: application to contract.

Imports nothing of a vendor, of the settings or of the terminal: limits, prompt texts, clocks
and stores are passed in.
"""
