"""The checkpoints that are shipped: what there is, how each was measured, and how one is made.

A checkpoint's folder (``checkpoints/NAME``) has the weights with their manifest, and beside what is
needed to play the configuration, curves and metrics of its training, the evaluation, sample records,
an ONNX file, a card for people (``README.md``) and the checksums of all of these.
"""
