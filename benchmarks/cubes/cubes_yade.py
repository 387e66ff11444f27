"""Cubes in a box by YADE's polyhedra, from the places given; run by `run.py --yade`, as `yade -n -x -j 1 cubes_yade.py JOB`.

JOB is a JSON file: `places` (rows of x, y, z, qw, qx, qy, qz), `edge`, `width` (of the box along x and y), `density`, `friction`,
`gravity`, `stiffness` [N/m3], `step` [s], `warm` and `steps`; SI units. Into its `answer` goes a JSON file: CPU seconds of the
steps after the warm ones, contacts before and after them, grains, the version.

The force is YADE's: the stiffness times the volume that two bodies share, along the normal of a plane fitted to where their
surfaces cross.
"""
import json, math, sys, time
from yade import polyhedra_utils, utils

with open(sys.argv[1]) as f:
    job = json.load(f)

# Without damping by the way that the bodies move: the bed is at rest, and what is timed is contacts.
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Polyhedra_Aabb(), Bo1_Wall_Aabb()]),
    InteractionLoop([Ig2_Wall_Polyhedra_PolyhedraGeom(), Ig2_Polyhedra_Polyhedra_PolyhedraGeom()],
                    [Ip2_PolyhedraMat_PolyhedraMat_PolyhedraPhys()],
                    [Law2_PolyhedraGeom_PolyhedraPhys_Volumetric()]),
    NewtonIntegrator(damping=0.3, gravity=(0, 0, -job['gravity'])),
]
material = PolyhedraMat(density=job['density'], young=job['stiffness'], poisson=0.3,
                        frictionAngle=math.atan(job['friction']))
O.materials.append(material)
half = 0.5 * job['edge']
corners = [Vector3(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
for x, y, z, qw, qx, qy, qz in job['places']:
    body = polyhedra_utils.polyhedra(material, v=[Quaternion(qw, qx, qy, qz) * corner for corner in corners])
    # The origin of the vertices is their centroid, and the body's frame is found by YADE.
    body.state.pos = Vector3(x, y, z)
    O.bodies.append(body)
n_grains = len(O.bodies)
for axis, width in enumerate(job['width']):
    O.bodies.append(utils.wall(0, axis, 1, material=material))
    O.bodies.append(utils.wall(width, axis, -1, material=material))
O.bodies.append(utils.wall(0, 2, 1, material=material))
O.dt = job['step']


def contacts():
    """Those with a volume in common: YADE keeps interactions of bodies whose boxes overlap."""
    return sum(1 for i in O.interactions if i.isReal and i.geom.penetrationVolume > 0)


O.run(job['warm'], True)
before = contacts()
begin = time.process_time()
O.run(job['steps'], True)
seconds = time.process_time() - begin
after = contacts()
with open(job['answer'], 'w') as f:
    json.dump({'seconds': seconds, 'before': before, 'after': after, 'grains': n_grains,
               'version': yade.config.version}, f)
