"""Prototype-based classification."""
