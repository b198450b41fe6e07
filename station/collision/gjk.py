"""The distance of two convex solids that do not overlap deeply, by the method of Gilbert, Johnson and Keerthi.

The difference of two convex sets, all points a - b, is convex, and its point nearest to the origin is what lies between
them. It is found from below: a simplex of at most four of its corners, whose nearest point is known; the corner that
lies furthest towards the origin from there; and again, until no corner is nearer. Balls around points (spheres,
capsules, rounded boxes) are left out and taken off the distance afterwards, so solids that touch, or overlap by less
than their balls, are still apart here. Where even what is left overlaps there is no answer, and the collision library
is asked (`library.py`).
"""

from __future__ import annotations

import math

from station.collision.survey import learn, pick
from station.collision.table import MOST_PICKS, Simplex, SolidKind, Table
from station.kernel import Floats, entry, kernel
from station.kernel.vectors import dot, row
from station.mechanism.memory import MechanismMemory

MOST_STEPS = 64
CLOSE = 1e-13  # of the square of the distance: nothing is nearer than this
FAILED = 1 << MOST_PICKS
GOOD = 1e-7  # by which the gap along the direction found may be less than the distance [m]
TOUCHING = 1e-20  # square of a distance that is none [m²]

Vector = tuple[float, float, float]


@kernel
def nearest(simplex: Simplex) -> bool:
    """Weights of the point of the simplex that is nearest to the origin; corners of no weight go.

    False if the origin is inside.
    """
    corner, weight = simplex.corner, simplex.weight
    if simplex.count == 1:
        weight[0] = 1.0
    elif simplex.count == 2:
        _on_line(corner, 0, 1, weight)
    elif simplex.count == 3:
        _on_triangle(corner, 0, 1, 2, weight)
    elif not _on_faces(simplex):
        return False
    count = 0
    for i in range(simplex.count):
        if weight[i] > 0.0:
            weight[count] = weight[i]
            for k in range(3):
                corner[count, k] = corner[i, k]
                simplex.on_a[count, k], simplex.on_b[count, k] = simplex.on_a[i, k], simplex.on_b[i, k]
            count += 1
    simplex.count = count
    return True


@kernel
def _on_line(corner: Floats, a: int, b: int, weight: Floats) -> None:
    along = way = 0.0
    for k in range(3):
        step = corner[b, k] - corner[a, k]
        along -= corner[a, k] * step
        way += step * step
    share = min(max(along / way, 0.0), 1.0) if way > 0.0 else 0.0
    weight[a], weight[b] = 1.0 - share, share


@kernel
def _dot(p: Floats, i: int, q: Floats, j: int) -> float:
    return dot(row(p, i), row(q, j))


@kernel
def _on_triangle(corner: Floats, a: int, b: int, c: int, weight: Floats) -> None:
    """By the regions of a triangle: its corners, its sides, its inside."""
    weight[a] = weight[b] = weight[c] = 0.0
    aa, ab, ac = _dot(corner, a, corner, a), _dot(corner, a, corner, b), _dot(corner, a, corner, c)
    bb, bc, cc = _dot(corner, b, corner, b), _dot(corner, b, corner, c), _dot(corner, c, corner, c)
    d1, d2 = aa - ab, aa - ac  # from a towards b and c
    d3, d4 = ab - bb, ab - bc
    d5, d6 = ac - bc, ac - cc
    if d1 <= 0.0 and d2 <= 0.0:
        weight[a] = 1.0
        return
    if d3 >= 0.0 and d4 <= d3:
        weight[b] = 1.0
        return
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        _on_line(corner, a, b, weight)
        return
    if d6 >= 0.0 and d5 <= d6:
        weight[c] = 1.0
        return
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        _on_line(corner, a, c, weight)
        return
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        _on_line(corner, b, c, weight)
        return
    total = va + vb + vc
    weight[a], weight[b], weight[c] = va / total, vb / total, vc / total


@kernel
def _behind(corner: Floats, a: int, b: int, c: int, d: int) -> float:
    """Whether the origin is on the other side of a face than the corner opposite it: negative if so."""
    ux, uy, uz = corner[b, 0] - corner[a, 0], corner[b, 1] - corner[a, 1], corner[b, 2] - corner[a, 2]
    vx, vy, vz = corner[c, 0] - corner[a, 0], corner[c, 1] - corner[a, 1], corner[c, 2] - corner[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(nx * corner[a, 0] + ny * corner[a, 1] + nz * corner[a, 2])
    other = nx * (corner[d, 0] - corner[a, 0]) + ny * (corner[d, 1] - corner[a, 1]) + nz * (corner[d, 2] - corner[a, 2])
    return float(origin * other)


@kernel
def _square(simplex: Simplex) -> float:
    """Square of the distance of the point that the weights say [m²]."""
    total = 0.0
    for k in range(3):
        value = 0.0
        for i in range(simplex.count):
            value += simplex.weight[i] * simplex.corner[i, k]
        total += value * value
    return total


@kernel
def _on_faces(simplex: Simplex) -> bool:
    """The nearest point of four corners is on a face that the origin is behind of; False: it is behind of none."""
    corner, weight, kept = simplex.corner, simplex.weight, simplex.kept
    best, found = math.inf, False
    for opposite in range(4):
        a, b, c = (opposite + 1) % 4, (opposite + 2) % 4, (opposite + 3) % 4
        if _behind(corner, a, b, c, opposite) > 0.0:
            continue
        weight[opposite] = 0.0
        _on_triangle(corner, a, b, c, weight)
        square = _square(simplex)
        if square < best:
            best, found = square, True
            for i in range(4):
                kept[i] = weight[i]
    for i in range(4):
        weight[i] = kept[i]
    return found


@kernel
def core_point(tab: Table, solid: int, x: float, y: float, z: float) -> Vector:
    """The point of a solid without its balls that lies furthest along (x, y, z), all in its own frame [m]."""
    if tab.solid_kind[solid] == SolidKind.CYLINDER:
        across = math.sqrt(x * x + y * y)
        scale = tab.solid_radius[solid] / across if across > 0.0 else 0.0
        return scale * x, scale * y, math.copysign(tab.solid_half[solid], z)
    points, best, most = tab.points, tab.point_start[solid], -math.inf
    for i in range(tab.point_start[solid], tab.point_start[solid + 1]):
        value = x * points[i, 0] + y * points[i, 1] + z * points[i, 2]
        if value > most:
            best, most = i, value
    return points[best, 0], points[best, 1], points[best, 2]


@kernel
def _add_corner(tab: Table, a: int, b: int, k: int, x: float, y: float, z: float) -> float:
    """The corner of the difference furthest against (x, y, z), to the simplex; returns its value along that [m]."""
    simplex, turn, place = tab.simplex, tab.pick_rotation[k], tab.pick_position[k]
    u, v, w = (
        turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z,
        turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z,
        turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z,
    )
    p, q = core_point(tab, a, -u, -v, -w), core_point(tab, b, x, y, z)
    n, value = simplex.count, 0.0
    for i in range(3):
        simplex.on_a[n, i] = turn[i, 0] * p[0] + turn[i, 1] * p[1] + turn[i, 2] * p[2] + place[i]
        simplex.on_b[n, i] = q[i]
        simplex.corner[n, i] = simplex.on_a[n, i] - simplex.on_b[n, i]
    simplex.count = n + 1
    value = simplex.corner[n, 0] * x + simplex.corner[n, 1] * y + simplex.corner[n, 2] * z
    return float(value)


@kernel
def _between(simplex: Simplex) -> Vector:
    """The nearest point of the simplex."""
    x = y = z = 0.0
    for i in range(simplex.count):
        x += simplex.weight[i] * simplex.corner[i, 0]
        y += simplex.weight[i] * simplex.corner[i, 1]
        z += simplex.weight[i] * simplex.corner[i, 2]
    return x, y, z


@kernel
def find_distance(tab: Table, k: int) -> bool:
    """The distance of pick number k into its answer; False: the cores overlap, or it did not come to an end."""
    pair, simplex = tab.picked[k], tab.simplex
    a, b, normal = tab.pair_a[pair], tab.pair_b[pair], tab.normal[pair]
    simplex.count = 0
    _add_corner(tab, a, b, k, normal[0], normal[1], normal[2])
    simplex.weight[0] = 1.0
    best = math.inf
    for _ in range(MOST_STEPS):
        x, y, z = _between(simplex)
        square = x * x + y * y + z * z
        if square < TOUCHING or simplex.count == 4:
            return False
        along = _add_corner(tab, a, b, k, x, y, z)
        if square - along <= CLOSE * square or _is_there(simplex) or not square < best:
            # The best there is: good if the gap along this direction is the distance.
            simplex.count -= 1
            return square - along <= GOOD * math.sqrt(square) and _write(tab, k, a, b, x, y, z)
        best = square
        if not nearest(simplex):
            return False
    return False


@kernel
def _is_there(simplex: Simplex) -> bool:
    """Whether the last corner is one of the others."""
    last = simplex.count - 1
    for i in range(last):
        same = True
        for k in range(3):
            same = same and simplex.corner[i, k] == simplex.corner[last, k]
        if same:
            return True
    return False


@kernel
def _write(tab: Table, k: int, a: int, b: int, x: float, y: float, z: float) -> bool:
    """Distance, direction and the nearest point of a, balls included."""
    simplex, answer = tab.simplex, tab.answers[k]
    apart = math.sqrt(x * x + y * y + z * z)
    if not apart > 0.0:
        return False
    ball_a = 0.0 if tab.solid_kind[a] == SolidKind.CYLINDER else tab.solid_radius[a]
    ball_b = 0.0 if tab.solid_kind[b] == SolidKind.CYLINDER else tab.solid_radius[b]
    answer[0] = apart - ball_a - ball_b
    answer[1], answer[2], answer[3] = x / apart, y / apart, z / apart
    for i in range(3):
        point = 0.0
        for corner in range(simplex.count):
            point += simplex.weight[corner] * simplex.on_a[corner, i]
        answer[4 + i] = point - ball_a * answer[1 + i]
    return True


@entry(inline=True)
def find_distances(tab: Table) -> int:
    """All picks; returns those without an answer, as bits."""
    left = 0
    for k in range(tab.pick_count):
        if not find_distance(tab, k):
            left |= 1 << k
    return left


@entry
def refine(mem: MechanismMemory, tab: Table) -> int:
    """Find the distances of the pairs that need it most, where the robot is now, and learn from them.

    Returns the picks that only the library can answer, as bits; nothing is learnt before it has. FAILED: an answer
    makes no sense.
    """
    pick(mem, tab)
    left = find_distances(tab)
    if left != 0:
        return left
    return 0 if learn(tab) else FAILED
