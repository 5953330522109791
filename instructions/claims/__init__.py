"""Texts that come with their claims: is each claim true, and does the text say them and nothing else?"""
