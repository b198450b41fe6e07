"""Design study: a scene that is changed and moved without any hardware. See docs/view_design.md.

errors.py    what can go wrong
source.py    places in the text of a MAD file; rewriting.py: text with other numbers, comments kept
files.py     reading and writing that text, whole or not at all
model.py     `Design`: the scene, its robots and where they stand; history.py: edits, undo; motion.py: joints
grab.py      a point of a robot that is led by the mouse; live_grab.py: of that of a running station
steering.py  a frame that is led by the on-screen device; leading.py: what both need
sweep.py     where a frame can go and how well; sweeping.py: the process that finds out; cloud.py: what is drawn of it
studio.py    `Studio`: all of it in a window, once per frame
mouse.py     events of the mouse → grab; held.py, redraw.py: design → picture; contacts.py: obstacles on the way
"""
