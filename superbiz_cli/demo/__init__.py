"""The bundled incident: a payment service that times out, made anew around any moment.

`incident` writes the folder; `story` holds the times and numbers that all its files agree on.
"""
