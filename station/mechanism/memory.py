"""The memory of a mechanism: one record, which kernels and Python share.

Joints are numbered in the order of the file. Body j is what joint j moves; body -1 is the base, which stands still in
the world. Lengths in metres, angles in radians. Rows of closures and of tasks are all in metres: a radian counts
`length` metres there.
"""

from __future__ import annotations

from enum import IntEnum

from station.kernel import Bools1, Floats1, Floats2, Floats3, Ints1, Record, field

MOST_ROWS = 48  # of tasks in one step: eight frames
MOST_TASKS = MOST_ROWS // 6
MOST_CONTACTS = 32
OWN_AXES = 64  # bit of axes that count: they are those of `frame_axes`, not the world's
BOUND_ROWS = MOST_CONTACTS + 1  # of contacts, and the one that keeps an assembly
BOUNDS = f"n+{BOUND_ROWS}"  # of joints, then of these


class JointKind(IntEnum):
    """What a joint does."""

    REVOLUTE = 0
    PRISMATIC = 1


class RowKind(IntEnum):
    """What a row of a closure holds; the number of the axis is added, for PARALLEL 3·(free axis) + (row axis)."""

    ALONG = 0
    LOG = 3
    PARALLEL = 6
    UNIVERSAL = 15


class TaskKind(IntEnum):
    """What is wanted: of a frame a twist or a pose, or a value of a joint."""

    TWIST = 0
    POSE = 1
    JOINT = 2


class MechanismMemory(Record):
    """All that a mechanism is and works with.

    Sizes: n joints, f frames, c closures, s joints in closures, r rows of closures, k couplings, p points of curves.
    """

    # The mechanism itself, constant.
    order: Ints1 = field("", "joints from the base outwards", shape="n")
    parents: Ints1 = field("", "body on which a joint stands", shape="n")
    joint_kind: Ints1 = field("", "a JointKind", shape="n")
    driven: Bools1 = field("", "by a controller; the others are passive", shape="n")
    before: Floats3 = field("m", "pose of a joint on its parent at joint value 0", shape=("n", 3, 4))
    frame_body: Ints1 = field("", "body that carries a frame", shape="f")
    frame_offset: Floats3 = field("m", "pose of the frame on that body", shape=("f", 3, 4))
    frame_axes: Floats3 = field("", "axes of its tasks in the world, as columns; see OWN_AXES", shape=("f", 3, 3))
    closure_a: Ints1 = field("", "frame in whose axes the rows are", shape="c")
    closure_b: Ints1 = field("", "frame that is held in it", shape="c")
    closure_start: Ints1 = field("", "where the joints of a closure start in the next two", shape="c+1")
    closure_joint: Ints1 = field("", "joints between the two frames and their first common body", shape="s")
    closure_sign: Floats1 = field("", "+1 on the side of b, -1 on the side of a", shape="s")
    row_start: Ints1 = field("", "where the rows of a closure start", shape="c+1")
    row_kind: Ints1 = field("", "a RowKind and its axis", shape="r")
    coupling: Floats2 = field("", "coupling · q = coupling_value + curve", shape=("k", "n"))
    coupling_value: Floats1 = field("rad | m", shape="k")
    coupling_joint: Ints1 = field("", "the joint that is moved", shape="k")
    curve_kind: Ints1 = field("", "a CurveKind", shape="k")
    curve_joint: Ints1 = field("", "the joint whose value the curve is taken at", shape="k")
    curve_start: Ints1 = field("", "where the points of a curve start in the next three", shape="k+1")
    curve_x: Floats1 = field("rad | m", "of a table: value of the leading joint", shape="p")
    curve_y: Floats1 = field("rad | m", "of a table: value there; of a polynomial: coefficients, c0 first", shape="p")
    curve_slope: Floats1 = field("", "of a table: slope there", shape="p")
    curve_at: Floats1 = field("", "value, slope and bend of the curve that was looked at last", shape=3)
    closure_rank: int = field("", "of all rows together, at almost every assembled configuration")
    passive_weight: float = field(
        "", "how much passive joints count where they and driven ones are wanted", default=1.0
    )
    strained: bool = field("", "parts do not quite fit: rows beyond the rank contradict the others a little")
    q_min: Floats1 = field("rad | m", shape="n")
    q_max: Floats1 = field("rad | m", shape="n")
    v_max: Floats1 = field("rad/s | m/s", shape="n")
    a_max: Floats1 = field("rad/s² | m/s²", shape="n")
    length: float = field("m", "what one radian counts for where it is weighed against metres")
    # Where it is.
    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")
    felt: Floats1 = field("", "multipliers of the first level", shape=BOUNDS)
    rotation: Floats3 = field("", "of every body in the world", shape=("n", 3, 3))
    position: Floats2 = field("m", "of every body in the world", shape=("n", 3))
    # How the last step went.
    condition: float = field("", "largest to smallest singular value of the rows of the first level")
    condition_age: int = field("steps", "since it was looked at")
    position_error: float = field("m", "largest of the followed poses")
    rotation_error: float = field("rad", "largest of the followed poses")
    largest_speed: float = field("rad/s | m/s", "of any joint")
    gave_way: bool = field("", "loops or contacts asked for more than the acceleration limits allow")
    landed: bool = field("", "the loops could be closed")
    unsolved: bool = field("", "no motion keeps all bounds: it has stood still")
    followed: int = field("", "number of what the step was asked for, so that the next one can continue it; 0: nothing")
    singular: float = field("", "0 to 1: how near a singularity it is, and has been a while")
    restless: float = field("", "0 to 1: a target came back, and the robot still runs after it")
    # The assembly.
    keeps_assembly: bool = field("", "steps stay on this side of where two assemblies meet, see `crossing.py`")
    assembly_wait: int = field("steps", "until it is looked again how near that is")
    # Closures at work.
    matrix: Floats2 = field("m", "rows and, in the last column, residuals; reduced in place", shape=("r+k", "n+1"))
    residual: Floats1 = field("m", shape="r+k")
    pivot_row: Ints1 = field("", "the rows chosen last time", shape="r+k")
    pivot_column: Ints1 = field("", "the joints that they determine", shape="r+k")
    used_row: Bools1 = field(shape="r+k")
    used_column: Bools1 = field(shape="n")
    basis: Floats2 = field("", "columns span the motions that keep the loops closed", shape=("n", "n"))
    particular: Floats1 = field("rad | m", "motion that closes what is open", shape="n")
    all_rows: Floats2 = field("m", "rows before they are reduced, where parts do not fit", shape=("r+k", "n+1"))
    sharing: Floats2 = field("", "columns: sums of rows that all together are held at zero then", shape=("r+k", "n"))
    sums: Floats2 = field("m", "the same sums of the rows", shape=("n", "n+1"))
    shared: Floats1 = field("m", "residuals that are made zero: of the chosen rows, or of those sums", shape="n")
    rank: int = field("", "of the closures here")
    free: int = field("", "joints that stay free here")
    end_a: Floats2 = field("m", "pose of the first frame of a closure", shape=(3, 4))
    end_b: Floats2 = field("m", "pose of the second", shape=(3, 4))
    turn: Floats2 = field("", "from one pose to another", shape=(3, 3))
    turn_vector: Floats1 = field("rad", "the same about its axis", shape=3)
    along: Floats2 = field("", "how rows of a closure depend on motion along world axes", shape=(6, 3))
    about: Floats2 = field("m", "how they depend on rotation about them", shape=(6, 3))
    about_own: Floats1 = field("", "the same of one row, about axes of the first frame", shape=3)
    holding: Floats1 = field("m", "how hard each row holds against what is missing", shape="r+k")
    push: Floats1 = field("m", "force with which a closure holds", shape=3)
    wrench: Floats2 = field("m²", "how it holds rotations, see `bend_loops`", shape=(3, 3))
    missed: float = field("m", "most that is missing of what frames should do, which paths and loops bend against")
    pull: Floats1 = field("m²", "of what is missing at the joints", shape="n")
    bending: Floats2 = field("m²", "how the motions of two joints together bend against it", shape=("n", "n"))
    bending_span: Floats2 = field("m²", "the same, one of them a motion that is left", shape=("n", "n"))
    bend: Floats1 = field("m²", "what bounds that for every motion that is left", shape="n")
    branch_axis: Floats2 = field("", "axes of the joints of a closure, from its first frame on", shape=("n", 3))
    branch_way: Floats2 = field("m", "how each moves the second frame", shape=("n", 3))
    held_joints: Ints1 = field("", "that were put onto a bound", shape="n")
    held_missing: Floats1 = field("rad | m", "from the held joints to their bounds", shape="n")
    held_move: Floats1 = field("rad | m", "of the free motions", shape="n")
    # What is wanted.
    task_kind: Ints1 = field("", "a TaskKind", shape=MOST_TASKS)
    task_place: Ints1 = field("", "frame, or joint", shape=MOST_TASKS)
    task_level: Ints1 = field("", "0 first; never decreasing", shape=MOST_TASKS)
    task_axes: Ints1 = field("", "bits of the six axes that count, and OWN_AXES", shape=MOST_TASKS)
    task_value: Floats3 = field(
        "m", "pose; or twist in two rows [m/s, rad/s]; or joint value [rad | m] at [0, 0]", shape=(MOST_TASKS, 3, 4)
    )
    task_before: Floats3 = field("m", "the pose wanted in the step before", shape=(MOST_TASKS, 3, 4))
    task_continued: Bools1 = field("", "whether that means anything", shape=MOST_TASKS)
    wish: Floats1 = field("rad | m", "motion preferred where nothing else matters", shape="n")
    wish_weight: Floats1 = field("", "all 0: no wish", shape="n")
    contact_frame: Ints1 = field("", "-1: its row is there already", shape=BOUND_ROWS)
    contact_point: Floats2 = field("m", "on the body of the frame, in the world", shape=(MOST_CONTACTS, 3))
    contact_normal: Floats2 = field("", "away from the obstacle", shape=(MOST_CONTACTS, 3))
    contact_distance: Floats1 = field("m", shape=BOUND_ROWS)
    # Tasks at work.
    place: Floats2 = field("m", "where a followed frame is", shape=(3, 4))
    besides: Floats1 = field("m, rad", "what is missing besides the motion of the target", shape=6)
    task_matrix: Floats2 = field("m", "rows of the tasks of a level", shape=(MOST_ROWS, "n"))
    task_reduced: Floats2 = field(
        "m", "the same in the coordinates of the motions that are left", shape=(MOST_ROWS, "n")
    )
    task_error: Floats1 = field("m", "what is missing", shape=MOST_ROWS)
    task_advance: Floats1 = field("m", "what the targets move by themselves in this step", shape=MOST_ROWS)
    row_of_pose: Bools1 = field("", "whether a row is of a pose, not of a speed", shape=MOST_ROWS)
    row_left: Bools1 = field("", "whether a row was not eliminated yet", shape=MOST_ROWS)
    motion_left: Bools1 = field("", "whether a motion is not determined yet", shape="n")
    pivot_rows: Ints1 = field("", "of tasks, as they were eliminated", shape=MOST_ROWS)
    pivot_motions: Ints1 = field("", "that they determine", shape=MOST_ROWS)
    curvature: Floats1 = field("m²", "how the paths bend against what is missing", shape="n")
    spans: Floats3 = field("", "motions left for lower levels", shape=(2, "n", "n"))
    nothing: Floats1 = field("", "zeros: no wish", shape="n")
    motion: Floats1 = field("rad | m", "of this step", shape="n")
    trial: Floats1 = field("rad | m", "where it leads", shape="n")
    trial_low: Floats1 = field("rad | m", shape="n")
    trial_high: Floats1 = field("rad | m", shape="n")
    diagonal: Floats1 = field("m²", "weight of motion of every joint", shape="n")
    moving: Floats1 = field("m²", "gradient towards what the targets move by themselves", shape="n")
    missing: Floats1 = field("m²", "gradient towards the rest", shape="n")
    by_moving: Floats1 = field("", "motion that follows from the first", shape="n")
    by_missing: Floats1 = field("", "motion that follows from the second", shape="n")
    leaning: Floats1 = field("", "motion towards more room before the stops", shape="n")
    strongest: Floats1 = field("", "direction in which the tasks move most", shape=MOST_ROWS)
    weakest: Floats1 = field("", "direction in which they move least", shape=MOST_ROWS)
    image: Floats1 = field("", "of a direction", shape="n")
    # The quadratic programme.
    hessian: Floats2 = field("m²", shape=("n", "n"))
    factor: Floats2 = field("", "its factors, as `cholesky` leaves them", shape=("n", "n"))
    gradient: Floats1 = field("m²", shape="n")
    solution: Floats1 = field(shape="n")
    bound_rows: Floats2 = field(shape=(BOUNDS, "n"))
    contact_rows: Floats2 = field("m", shape=(BOUND_ROWS, "n"))
    lower: Floats1 = field("rad | m", "bounds of the motion", shape=BOUNDS)
    upper: Floats1 = field("rad | m", shape=BOUNDS)
    low_left: Floats1 = field("rad | m", "the same, less the motion so far", shape=BOUNDS)
    high_left: Floats1 = field("rad | m", shape=BOUNDS)
    multiplier: Floats1 = field(shape=BOUNDS)
    active_set: Ints1 = field("", "bounds that hold; an upper one as -1 - bound", shape=BOUNDS)
    active_multiplier: Floats1 = field("", "of the active set, in its order", shape="n")
    triangle: Floats2 = field(shape=("n", "n"))
    turned: Floats2 = field("", "coordinates in which the Hessian is the identity", shape=("n", "n"))
    normal: Floats1 = field("", "of the bound that is taken in", shape="n")
    normal_turned: Floats1 = field("", "the same in turned coordinates", shape="n")
    way: Floats1 = field("", "of the solution, to the bound that is taken in", shape="n")
    yielding: Floats1 = field("", "how fast multipliers shrink on that way", shape="n")
