"""Checks of what readers would see: dead anchors and addresses, unclosed code, syntax of other tools."""
