"""What a report says of a recording beyond the summary of any run: the arm, the way, events, where it is from.

curves.py   numbers over time, in bounded memory
plots.py    drawn with matplotlib, which is loaded only then
page.py     `sections`: parts of a page, HTML that needs nothing else
"""
