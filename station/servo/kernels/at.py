"""`at.name(mem)` inside kernels: the view of an array of the tick. They are described in fields.py."""

from __future__ import annotations

from station.mechanism.kernels.memory import view_of
from station.servo.kernels.fields import FIELDS

_views = {name: view_of(number, field) for number, (name, field) in enumerate(FIELDS.items())}

supervisor_state = _views["supervisor_state"]
supervisor_settings = _views["supervisor_settings"]
supervisor_inputs = _views["supervisor_inputs"]
supervisor_outputs = _views["supervisor_outputs"]
mapping_state = _views["mapping_state"]
mapping_settings = _views["mapping_settings"]
target = _views["target"]
haptics_state = _views["haptics_state"]
haptics_settings = _views["haptics_settings"]
haptics_guides = _views["haptics_guides"]
haptics_inputs = _views["haptics_inputs"]
wrench = _views["wrench"]
sample_pose = _views["sample_pose"]
sample_velocity = _views["sample_velocity"]
camera = _views["camera"]
frame_pose = _views["frame_pose"]
frame_twist = _views["frame_twist"]
joint_targets = _views["joint_targets"]
measured_wrench = _views["measured_wrench"]
felt_wrench = _views["felt_wrench"]
straight_back = _views["straight_back"]
turning_back = _views["turning_back"]
normal = _views["normal"]
jacobian = _views["jacobian"]
spread = _views["spread"]
reduced = _views["reduced"]
metric = _views["metric"]
metric_factor = _views["metric_factor"]
gram = _views["gram"]
gram_factor = _views["gram_factor"]
column = _views["column"]
trial_q = _views["trial_q"]
trial_pose = _views["trial_pose"]
gradient = _views["gradient"]
obstacles = _views["obstacles"]
world_guides = _views["world_guides"]
memory = _views["memory"]
