"""Meshes in WorldToolKit's NFF, for tests of what reads them."""

from __future__ import annotations

HEAD = "nff\nversion 2.1\nviewpos 0 0 -10\nviewdir 0 0 1\n"
# A brick 100 × 200 × 300 with a lid of its own colour, and a sheet whose corners have colours and normals.
BRICK = """// made by hand
brick                    // name
8
0 0 0
100 0 0
100 200 0
0 200 0
0 0 300
100 0 300
100 200 300
0 200 300
6
4 0 3 2 1 0xf00
4 0 1 5 4 0xff0000
4 1 2 6 5 0xf00 both
4 2 3 7 6 0xf00 -12
4 3 0 4 7 0xf00 _v_wood
4 4 5 6 7 0x00ff00 both _t_rug rot 45 scale 2
"""
SHEET = """sheet
3
200 0 0 norm 0 0 2 0x0000ff uv 0 0
300 0 0 norm 0 1 1 rgb 0x0000ff
200 100 0
1
3 0 1 2 0xff0 both
"""

BROKEN = {
    "no objects": (HEAD, "no surface"),
    "no vertices": (HEAD + "brick\n", "line 5: the number of vertices of 'brick' is due, and the file ends"),
    "words for a count": (HEAD + "brick\nmany\n", "line 6: 'many' should be a whole number"),
    "two counts": (HEAD + "brick\n3 4\n", "line 6: the number of vertices of 'brick' is due, not '3 4'"),
    "too many": (
        HEAD + "brick\n999999999\n0 0 0\n",
        "line 6: 999999999 vertices of 'brick' are due, and 1 lines follow",
    ),
    "half a vertex": (HEAD + "brick\n1\n0 0\n1\n", "line 7: a vertex takes 3 finite numbers, not '0 0'"),
    "no number": (HEAD + "brick\n1\n0 0 nan\n1\n", "line 7: a vertex takes 3 finite numbers"),
    "odd vertex": (HEAD + "brick\n1\n0 0 0 glow\n1\n", "line 7: 'glow' is nothing that a vertex has"),
    "half a normal": (HEAD + "brick\n1\n0 0 0 norm 0 1\n1\n", "line 7: norm takes 3 finite numbers, not '0 1'"),
    "wrong corner": (
        HEAD + "b\n3\n0 0 0\n1 0 0\n0 1 0\n1\n3 0 1 3 0xfff\n",
        "line 11: vertex 3 is named, and 'b' has 3",
    ),
    "few corners": (HEAD + "b\n3\n0 0 0\n1 0 0\n0 1 0\n1\n2 0 1 0xfff\n", "line 11: a polygon of 2 corners"),
    "colour as corner": (
        HEAD + "b\n3\n0 0 0\n1 0 0\n0 1 0\n1\n4 0 1 2 0xfff\n",
        "line 11: '0xfff' should be a whole number",
    ),
    "odd polygon": (
        HEAD + "b\n3\n0 0 0\n1 0 0\n0 1 0\n1\n3 0 1 2 red\n",
        "line 11: 'red' is nothing that a polygon has",
    ),
    "no direction": ("nff\nviewdir 1 2\n", "line 2: viewdir takes 3 finite numbers, not '1 2'"),
}
