#!/usr/bin/env python3
"""What a floor of 100,000 triangles costs in a run, over what a plane costs.

    benchmarks/walls/run.py                 time: CPU nanoseconds a particle-step, minimum of several interleaved runs
    benchmarks/walls/run.py --instructions  instructions a particle-step, counted by Valgrind

The grains are the 10,000 settled spheres of benchmarks/spheres between four planes. Their floor is a plane, or the same plane as
a mesh of triangles half a millimetre to a millimetre long, which this script writes. The whole step counts, not only the walls.
A figure is the difference of a long and a short run, so that starting up does not count. All runs are on one thread. The two
floors must lead to the same kinetic energy to a few digits, which is printed. Standard library only.
"""
import argparse, csv, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPHERES = os.path.join(os.path.dirname(HERE), 'spheres')
sys.path.insert(0, SPHERES)
from run import ROOT, WARM, cpu_seconds, instructions, tumble  # noqa: E402

BOX = 'box = { from = [0, 0, 0], to = [0.23, 0.23, 1], open = ["top"] }'
SIDES = 'box = { from = [0, 0, 0], to = [0.23, 0.23, 1], open = ["top", "bottom"] }'


def write_floor(path, n, width):
    """A square floor from the origin, n by n squares cut in half, as OBJ."""
    with open(path, 'w') as f:
        for i in range(n + 1):
            for j in range(n + 1):
                f.write('v %.9g %.9g 0\n' % (width * i / n, width * j / n))
        corner = lambda i, j: i * (n + 1) + j + 1
        for i in range(n):
            for j in range(n):
                a, b, c, d = corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)
                f.write('f %d %d %d\nf %d %d %d\n' % (a, b, c, a, c, d))


def write_scene(path, floor):
    with open(os.path.join(SPHERES, 'settled.toml')) as f:
        text = f.read()
    assert BOX in text
    wall = '%s\n\n[[walls]]\nname = "floor"\nmaterial = "sphere"\n%s' % (SIDES, floor)
    text = text.replace(BOX, wall).replace('"settled.csv"', '"%s"' % os.path.join(SPHERES, 'settled.csv'))
    with open(path, 'w') as f:
        f.write(text)


def kinetic_energy(out):
    with open(os.path.join(out, 'series.csv')) as f:
        rows = list(csv.DictReader(f))
    column = next(name for name in rows[-1] if name.startswith('kinetic'))
    return float(rows[-1][column])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--instructions', action='store_true')
    options.add_argument('--triangles', type=int, default=100000, help='triangles of the floor (default 100,000)')
    options.add_argument('--steps', type=int, help='steps that are measured (default 1000; 100 for instructions)')
    options.add_argument('--rounds', type=int, default=7, help='runs of each floor (default 7)')
    o = options.parse_args()
    subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble'], cwd=ROOT, check=True)
    with open(os.path.join(SPHERES, 'settled.csv')) as f:
        n_grains = sum(1 for _ in csv.DictReader(f))
    n = max(1, round((o.triangles / 2) ** 0.5))
    with tempfile.TemporaryDirectory() as directory:
        write_floor(os.path.join(directory, 'floor.obj'), n, 0.23)
        floors = {'plane': 'plane = { point = [0, 0, 0], normal = [0, 0, 1] }',
                  'mesh': 'mesh = { file = "%s" }' % os.path.join(directory, 'floor.obj')}
        scenes, energies = {}, {}
        for name, floor in floors.items():
            scenes[name] = os.path.join(directory, name + '.toml')
            write_scene(scenes[name], floor)
        steps = o.steps or (100 if o.instructions else 1000)
        measure = instructions if o.instructions else lambda c, d: cpu_seconds(c, d)[0]
        figures = {name: [] for name in floors}
        for _ in range(1 if o.instructions else o.rounds):
            for name, scene in scenes.items():
                short = measure(tumble(directory, scene, WARM), directory)
                long = measure(tumble(directory, scene, WARM + steps), directory)
                figures[name].append((long - short) / (steps * n_grains) * (1 if o.instructions else 1e9))
                energies[name] = kinetic_energy(os.path.join(directory, 'out'))
        print('%-6s %14s   (%d steps after %d, one thread; %d triangles)' % (
            'floor', 'instructions' if o.instructions else 'ns', steps, WARM, 2 * n * n))
        for name, values in figures.items():
            print('%-6s %14.1f   x %.2f of a plane   kinetic energy %.6e J   all: %s' % (
                name, min(values), min(values) / min(figures['plane']), energies[name],
                ' '.join('%.1f' % v for v in values)))


if __name__ == '__main__':
    main()
