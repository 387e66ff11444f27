"""Reads frames with VTK itself and checks every array's name, type, shape and numbers.

    cargo run -p tumble-io --example write_sample_frames -- DIR
    python3 -m venv VENV && VENV/bin/pip install vtk
    VENV/bin/python tests/vtk/read_back.py DIR

DIR holds the sample frames, whose numbers follow the rules in crates/tumble-io/examples/write_sample_frames.rs.
With --any, DIR holds the frames of any run: names, types, shapes and the index are checked, numbers are not.
"""

import argparse
import math
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkCommonMath import vtkQuaterniond
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

# Name: (VTK's type, number of components).
PARTICLE_ARRAYS = {
    "id": ("unsigned int", 1),
    "species": ("unsigned short", 1),
    "shape": ("unsigned char", 1),
    "radius": ("double", 1),
    "mass": ("double", 1),
    "orientation": ("double", 4),
    "axes": ("double", 9),
    "velocity": ("double", 3),
    "angular_velocity": ("double", 3),
    "coordination": ("unsigned int", 1),
}
CONTACT_ARRAYS = {
    "normal": ("double", 3),
    "force": ("double", 3),
    "overlap": ("double", 1),
    "id_a": ("int64", 1),
    "id_b": ("int64", 1),
}
WALL_ARRAYS = {"wall": ("unsigned int", 1)}
SURFACE_ARRAYS = {"id": ("unsigned int", 1), "species": ("unsigned short", 1)}
# The shape of each kind of the sample.
SAMPLE_SHAPES = [0, 1, 2, 3, 4, 4, 0]


def superquadric_volume(a, b, c, n1, n2):
    """In closed form, with Euler's Beta function."""
    def beta(p, q):
        return math.gamma(p) * math.gamma(q) / math.gamma(p + q)
    e1, e2 = 2 / n1, 2 / n2
    return 2 * a * b * c * e1 * e2 * beta(e1 / 2 + 1, e1) * beta(e2 / 2, e2 / 2)


# Of the shapes whose surfaces are written, in order: the kinds of the sample, then tablet, box, disc, polygon and
# clump.
SURFACE_VOLUMES = [
    4 / 3 * math.pi,
    math.pi * 0.6**2 * 1.6,
    math.pi * 0.5**2 * (1.0 + 4 / 3 * 0.5),
    math.pi / 3 * 1.4 * (0.6**2 + 0.6 * 0.3 + 0.3**2),
    superquadric_volume(0.9, 0.6, 0.5, 2.5, 4.0),
    4 / 3 * math.pi * 0.5 * 0.7 * 1.0,
    4 / 3 * math.pi * 0.5**3,
    math.pi * (0.7**2 * 0.2 + 0.2 * (0.7**2 + 0.2**2 / 3)),
    1.0 * 0.8 * 0.6,
    math.pi * 0.7**2 * 0.4,
    0.5 * 0.5,
    2 * 4 / 3 * math.pi * 0.4**3,
]
FLAT_FACED = {8, 10}
SAMPLE_COUNTS = [0, 5, 40_000]


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def read(path):
    """The data of a file; any complaint of VTK is a failure."""
    complaints = []
    reader = vtkXMLPolyDataReader()
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    reader.SetFileName(str(path))
    check(reader.CanReadFile(str(path)), f"{path}: VTK does not know it as PolyData")
    reader.Update()
    check(not complaints, f"{path}: VTK complained while reading")
    return reader.GetOutput()


def read_index(path):
    """Times and files of a .pvd."""
    root = ElementTree.parse(path).getroot()
    check(root.tag == "VTKFile" and root.get("type") == "Collection", f"{path}: no collection")
    return [(float(item.get("timestep")), path.parent / item.get("file")) for item in root.iter("DataSet")]


def check_arrays(path, attributes, expected, n_tuples):
    names = {attributes.GetArrayName(i) for i in range(attributes.GetNumberOfArrays())}
    check(names == set(expected), f"{path}: arrays {sorted(names)} where {sorted(expected)} are right")
    for name, (kind, n_components) in expected.items():
        array = attributes.GetArray(name)
        found = array.GetDataTypeAsString()
        # Which of its two types of 64 bits VTK takes depends on the system.
        found = "int64" if found in ("long", "long long") else found
        check(found == kind, f"{path}: {name} is {found} where {kind} is right")
        shape = (array.GetNumberOfTuples(), array.GetNumberOfComponents())
        check(shape == (n_tuples, n_components), f"{path}: {name} is {shape} where {(n_tuples, n_components)} is right")


def check_file(path, time, kind):
    """Checks what holds for the files of any run and returns the data."""
    data = read(path)
    field = data.GetFieldData()
    check(field.GetArray("TimeValue").GetTuple1(0) == time, f"{path}: its time is not that of the index")
    check(field.GetArray("step").GetNumberOfTuples() == 1, f"{path}: step is not one number")
    n_points = data.GetNumberOfPoints()
    if kind in ("walls", "surfaces"):
        check(data.GetNumberOfPolys() == data.GetNumberOfCells(), f"{path}: something else than polygons")
        arrays = WALL_ARRAYS if kind == "walls" else SURFACE_ARRAYS
        check_arrays(path, data.GetCellData(), arrays, data.GetNumberOfPolys())
        return data
    check(data.GetNumberOfVerts() == n_points == data.GetNumberOfCells(), f"{path}: not one vertex a point")
    check_arrays(path, data.GetPointData(), PARTICLE_ARRAYS if kind == "particles" else CONTACT_ARRAYS, n_points)
    if n_points > 0:
        check(data.GetPoints().GetData().GetDataTypeAsString() == "double", f"{path}: points are not double")
    return data


def check_numbers(path, data, expected):
    """Compares arrays with rules, number by number, bit by bit."""
    for name, rule in expected.items():
        source = data.GetPoints().GetData() if name == "points" else data.GetPointData().GetArray(name)
        found = vtk_to_numpy(source).tolist()
        for place, value in enumerate(found):
            right = rule(place)
            check(value == right, f"{path}: {name}[{place}] is {value} where {right} is right")


def check_sample(frames):
    for frame, n in enumerate(SAMPLE_COUNTS):
        particles, contacts, walls = (frames[kind][frame] for kind in ("particles", "contacts", "walls"))
        time, path, data = particles
        check(time == 0.25 * frame, f"{path}: time {time}")
        check(data.GetNumberOfPoints() == n, f"{path}: {data.GetNumberOfPoints()} points where {n} are right")
        check(data.GetFieldData().GetArray("step").GetTuple1(0) == frame, f"{path}: wrong step")
        if n > 0:
            check_numbers(path, data, {
                "points": lambda i: [0.1 * i, -float(i), 1.0 / 3.0],
                "id": lambda i: n - 1 - i,
                "species": lambda i: i % 7,
                "shape": lambda i: SAMPLE_SHAPES[i % 7],
                "radius": lambda i: 0.1 + 0.01 * i,
                "mass": lambda i: 0.3 * i,
                "velocity": lambda i: [float(i), 0.1, 0.7 * i],
                "angular_velocity": lambda i: [0.0, -float(i), 1e-300],
                "coordination": lambda i: i % 13,
            })
            check_orientations(path, data)
            path, data = contacts[1:]
            check(data.GetNumberOfPoints() == n, f"{path}: {data.GetNumberOfPoints()} points where {n} are right")
            check_numbers(path, data, {
                "points": lambda i: [0.5 * i, 0.0, -1.0],
                "normal": lambda i: [0.0, -1.0, 0.0],
                "force": lambda i: [0.0, 0.1 * i, 0.0],
                "overlap": lambda i: 1e-6 * i,
                "id_a": lambda i: n - 1 - i,
                "id_b": lambda i: n - 2 - i if i + 1 < n else -3,
            })
        check_walls(walls[1], walls[2])


def check_orientations(path, data):
    """VTK's own quaternions, made from the array as its glyph mapper makes them, turn by the right angle about +z."""
    array = data.GetPointData().GetArray("orientation")
    check([array.GetComponentName(i) for i in range(4)] == list("wxyz"), f"{path}: components of orientation")
    for i in range(1, min(data.GetNumberOfPoints(), 1000)):
        axis = [0.0] * 3
        angle = vtkQuaterniond(*array.GetTuple4(i)).GetRotationAngleAndAxis(axis)
        # 1e-12: a sine, a cosine and an arctangent, each rounded in its last digit.
        check(math.isclose(angle, 0.001 * i, abs_tol=1e-12) and axis[2] > 0.999999,
              f"{path}: orientation[{i}] turns by {angle} about {axis}")
        # The axes are the turned unit vectors, each as long as the radius.
        radius, cosine, sine = 0.1 + 0.01 * i, math.cos(angle), math.sin(angle)
        right = [radius * c for c in (cosine, sine, 0, -sine, cosine, 0, 0, 0, 1)]
        axes = data.GetPointData().GetArray("axes").GetTuple9(i)
        check(all(math.isclose(a, b, abs_tol=1e-12 * radius) for a, b in zip(axes, right)), f"{path}: axes[{i}]: {axes}")


def check_surfaces(path, data):
    """The surfaces of every shape belong to the right grains and enclose the right volumes."""
    ids = vtk_to_numpy(data.GetCellData().GetArray("id")).tolist()
    n = len(SURFACE_VOLUMES)
    check(sorted(set(ids)) == list(range(n)), f"{path}: surfaces of the grains {sorted(set(ids))}")
    volumes = [0.0] * n
    for cell in range(data.GetNumberOfCells()):
        points = data.GetCell(cell).GetPoints()
        check(points.GetNumberOfPoints() == 3, f"{path}: cell {cell} is no triangle")
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (points.GetPoint(k) for k in range(3))
        determinant = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        volumes[n - 1 - ids[cell]] += determinant / 6
    for kind, right in enumerate(SURFACE_VOLUMES):
        # 32 flats around lie inside a curved surface by a few percent of the volume at most; flat faces are exact.
        least = 0.999999 if kind in FLAT_FACED else 0.94
        check(least * right < volumes[kind] < 1.000001 * right,
              f"{path}: volume {volumes[kind]} of kind {kind}: {right} is right")


def check_walls(path, data):
    wall_of = vtk_to_numpy(data.GetCellData().GetArray("wall")).tolist()
    counts = [wall_of.count(wall) for wall in range(3)]
    # A square; 64 triangles of the bottom and 64 quadrilaterals of the mantle; four triangles.
    check(counts == [1, 128, 4], f"{path}: polygons of the walls: {counts}")
    corners = [data.GetCell(i).GetNumberOfPoints() for i in range(data.GetNumberOfCells())]
    check(corners == [4] + [3] * 64 + [4] * 64 + [3] * 4, f"{path}: corners of the polygons")
    x, y, z = data.GetCell(1 + 64).GetPoints().GetPoint(0)
    check(math.isclose(math.hypot(x, y), 0.5) and math.isclose(abs(z - 1.0), 1.0), f"{path}: drum at {x}, {y}, {z}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--any", action="store_true", help="frames of any run, not the sample")
    arguments = parser.parse_args()
    frames = {}
    for kind in ("particles", "contacts", "walls", "surfaces"):
        index = arguments.directory / f"{kind}.pvd"
        # Surfaces are written on request; those of the sample have a directory of their own.
        optional = kind == "surfaces" or (arguments.any and kind != "particles")
        if optional and not index.exists():
            continue
        frames[kind] = [(time, path, check_file(path, time, kind)) for time, path in read_index(index)]
        listed = {path.name for _, path, _ in frames[kind]}
        present = {path.name for path in arguments.directory.glob(f"{kind}-*.vtp")}
        check(listed == present, f"{index}: lists {sorted(listed)} where {sorted(present)} are there")
    check(len({tuple(time for time, _, _ in series) for series in frames.values()}) == 1, "the indices differ in time")
    if not arguments.any:
        for time, path in read_index(arguments.directory / "shapes" / "surfaces.pvd"):
            check_surfaces(path, check_file(path, time, "surfaces"))
        check(len(frames["particles"]) == len(SAMPLE_COUNTS), "wrong number of frames")
        check_sample(frames)
    print(f"VTK reads all {sum(len(series) for series in frames.values())} files as they were meant")


if __name__ == "__main__":
    main()
