"""Greedy: the values of whole turns, the choice by them, the rest of a turn, and rows of candidates."""
