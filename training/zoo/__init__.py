"""The shipped checkpoints: list, measure, make and export them.

A checkpoint's folder (``checkpoints/NAME``) has the weights and their manifest, which are enough to
play.  It also has the configuration, curves and metrics of the training, the evaluation, sample
records, an ONNX file, a card for people (``README.md``) and the checksums of all files.
"""
