"""Reads a folder that Docusaurus builds."""
