"""URDF import: a ROS robot description becomes a scene.

    text ─ elements ─▶ XML ─ joints, bodies ─▶ parts ─ tree ─▶ order ─ build ─▶ robot ─ checks ─▶ a scene to rely on

Every movable joint becomes a MAD link whose joint value is the URDF's own; every URDF link becomes a frame of the same
name on it, so that names, joint values and body coordinates keep the meaning they have in ROS.
"""

from station.mad.urdf.importer import scene_from_urdf

__all__ = ["scene_from_urdf"]
