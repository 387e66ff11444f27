#!/usr/bin/env python3
"""Counts the instructions of a step of settled superquadrics: 1024 of half axes 5, 5 and 7.5 mm, one thread.

    benchmarks/superquadrics/run.py                      exponents 2, 4 and 8: instructions a grain-step and a contact-step
    benchmarks/superquadrics/run.py --exponents 4        of one of them
    benchmarks/superquadrics/run.py --functions 20       and the functions in which most of them are spent
    benchmarks/superquadrics/run.py --law linear         by linear springs instead of the law of Hertz and Mindlin
    benchmarks/superquadrics/run.py --law volume --lattice 4 4 4    by the volume they share; also what a region costs
    benchmarks/superquadrics/run.py --cache DIR          keeps the settled beds in DIR; without it they are made anew
    benchmarks/superquadrics/run.py --program PATH       another build of tumble; without it this one is built and taken
    benchmarks/superquadrics/run.py --self-test          a tiny size, in seconds: does it work at all?

Grains fall from a lattice of 8 x 8 x 16 at 17.8 mm (18.5 mm for an exponent of 8, so that they do not touch), each turned in its own
way, into a box as wide as that, 0.1424 m, and come to rest; Young's
modulus 5 MPa, Poisson's ratio 0.3, restitution and friction 0.5, density 2500 kg/m3, steps of 50 us. A figure is the difference of two `tumble
resume` of different length from the same settled state, counted by callgrind, so that starting up does not count. LIGGGHTS built
with superquadrics takes 31,500 instructions a grain-step for the exponent 2 and 31,700 for 4 on such a bed. Valgrind must be installed.
Standard library only.
"""
import argparse, csv, importlib.util, math, os, random, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HALF_AXES = (5e-3, 5e-3, 7.5e-3)    # [m]
DENSITY = 2500.0    # [kg/m3]
GRAVITY = 9.81      # [m/s2]
SPACING = 17.8e-3   # of the lattice that the grains fall from, unless they are wider [m]
LATTICE = (8, 8, 16)    # grains along each axis
STEP = 5e-5         # [s]
WARM = 5            # steps that are not counted
STEPS = 50          # steps that are
# Under the volume law so stiff that contacts are about 1 % deep, as runs ask for.
LAWS = {'hertz': 'hertz_mindlin = {}', 'linear': 'linear = { stiffness = "10 kN/m" }', 'volume': 'volume = { stiffness = "10 MN/m" }'}
REGION = 'tumble_geometry::overlap::overlap_from'


def other(folder):
    """Another benchmark's script: what it does with settled beds and counts, this one does."""
    spec = importlib.util.spec_from_file_location(folder, os.path.join(ROOT, 'benchmarks', folder, 'run.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def spacing(exponent):
    """Of the lattice, so that grains turned in any way have room [m]."""
    def reach(p, s):
        # The farthest point of the section with half axes p and s.
        if exponent == 2:
            return max(p, s)
        k = 2 * exponent / (exponent - 2)
        return (p ** k + s ** k) ** (1 / k)
    a, b, c = HALF_AXES
    return max(SPACING, 2.03 * reach(reach(a, b), c))


def places(lattice, width):
    """Rows of a table of grains: a lattice of places so wide, each grain turned in its own way."""
    generator = random.Random(1)
    for k in range(lattice[2]):
        for j in range(lattice[1]):
            for i in range(lattice[0]):
                q = [generator.gauss(0, 1) for _ in range(4)]
                length = math.sqrt(sum(c * c for c in q))
                yield [width * (c + 0.5) for c in (i, j, k)] + [c / length for c in q]


def scene(lattice, law, exponent, longest):
    """Grains that fall into a box and come to rest, or do not in the longest time [s]."""
    n_grains, width = math.prod(lattice), spacing(exponent)
    fall = math.sqrt(2 * width * lattice[2] / GRAVITY)
    # At rest: a grain's kinetic energy is on average a ten-thousandth of what lifts it by its own width.
    at_rest = 1e-4 * n_grains * DENSITY * 8 * math.prod(HALF_AXES) * GRAVITY * 2 * HALF_AXES[0]
    return '''title = "settled superquadrics"
[materials.grain]
density = %r
young = "5 MPa"
poisson = 0.3
restitution = 0.5
friction = 0.5
[law]
%s
[shapes.grain]
superquadric = { half_axes = [%r, %r, %r], n1 = %r, n2 = %r }
[particles.grain]
shape = "grain"
[[walls]]
box = { from = [0, 0, 0], to = [%r, %r, 10], open = ["top"] }
[[insert]]
file = "superquadrics.csv"
[time]
end = %r
step = %r
[stop]
kinetic_energy = %r
after = %r
[output]
interval = 1000
frames = 1000
contacts = false
trajectory = "off"
checkpoint = 1000
report = false
''' % (DENSITY, LAWS[law], *HALF_AXES, exponent, exponent, width * lattice[0], width * lattice[1], fall + longest, STEP,
       at_rest, fall)


def settle(program, cache, lattice, law, exponent, longest):
    """The settled run, from the cache if it is there and of the same scene."""
    name = 'superquadrics-%d-%g%s' % (math.prod(lattice), exponent, '' if law == 'hertz' else '-' + law)
    run, path = os.path.join(cache, name), os.path.join(cache, name + '.toml')
    text = scene(lattice, law, exponent, longest)
    if os.path.exists(path) and os.path.exists(os.path.join(run, 'settled')):
        with open(path) as f:
            if f.read() == text:
                return run
    with open(os.path.join(cache, 'superquadrics.csv'), 'w') as f:
        f.write('x,y,z,qw,qx,qy,qz\n')
        f.writelines(','.join('%r' % v for v in row) + '\n' for row in places(lattice, spacing(exponent)))
    with open(path, 'w') as f:
        f.write(text)
    print('settling %s' % name, file=sys.stderr)
    if subprocess.run([program, 'run', path, '--quiet', '--overwrite', '--out', run]).returncode != 0:
        sys.exit('%s did not settle' % path)
    with open(os.path.join(run, 'settled'), 'w'):
        pass
    return run


def pairs(run, contacts, grains):
    """How many contacts of a settled run are of two grains: each counts for both in the mean over grains, one with a wall once."""
    with open(os.path.join(run, 'series.csv')) as f:
        rows = [row for row in csv.reader(line for line in f if not line.startswith('#'))]
    return round(float(rows[-1][rows[0].index('coordination')]) * grains) - contacts


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--exponents', type=float, nargs='+', default=[2.0, 4.0, 8.0], metavar='N')
    options.add_argument('--functions', type=int, default=0, metavar='N', help='shows the N functions that cost most by themselves')
    options.add_argument('--law', choices=LAWS, default='hertz')
    options.add_argument('--lattice', type=int, nargs=3, default=LATTICE, help='grains along each axis')
    options.add_argument('--cache', help='directory for the settled beds')
    options.add_argument('--program', help='a build of tumble')
    options.add_argument('--steps', type=int, default=STEPS, help='steps that are counted (default %d)' % STEPS)
    options.add_argument('--self-test', action='store_true')
    o = options.parse_args()
    lattice, longest = tuple(o.lattice), 2.0
    if o.self_test:
        lattice, longest, o.steps = (2, 2, 3), 0.1, 5
    program = o.program
    if not program:
        subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble'], cwd=ROOT, check=True)
        target = os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target'))
        program = os.path.join(target, 'release', 'tumble')
    program = os.path.abspath(program)
    cubes, resume = other('cubes'), other('cylinders').resume
    with tempfile.TemporaryDirectory() as directory:
        cache = os.path.abspath(o.cache or directory)
        os.makedirs(cache, exist_ok=True)
        for exponent in o.exponents:
            run = settle(program, cache, lattice, o.law, exponent, longest)
            (own_short, called_short), (_, first, _, _) = resume(program, run, WARM, cubes.profile)
            (own, called), (_, last, contacts, grains) = resume(program, run, WARM + o.steps, cubes.profile)
            if contacts == 0 or grains != math.prod(lattice):
                sys.exit('%d grains with %d contacts; it should have been %d that touch' % (grains, contacts, math.prod(lattice)))
            if not any(cubes.is_query(name) for name in called):
                sys.exit('no function of the program is one of %s' % ', '.join(cubes.QUERIES))
            difference = lambda long, short: {name: cost - short.get(name, 0) for name, cost in long.items()}
            own, called = difference(own, own_short), difference(called, called_short)
            steps = last - first
            total = sum(own.values()) / steps
            geometry = sum(cost for name, cost in called.items() if cubes.is_query(name)) / steps
            print('exponent %g: %d grains, %d contacts, %d steps; instructions' % (exponent, grains, contacts, steps))
            print('%10.0f a grain-step' % (total / grains))
            print('%10.0f a contact-step' % (total / contacts))
            # Under depth laws the search is part of the loop over contacts and has no name of its own.
            if o.law == 'volume':
                print('%10.0f of these in the geometry of contacts' % (geometry / contacts))
                print('%10.0f for each region that two grains share' % (called.get(REGION, 0) / steps / pairs(run, contacts, grains)))
            for name, cost in sorted(own.items(), key=lambda entry: -entry[1])[:o.functions]:
                per_grain = lambda cost: cost / steps / grains
                print('%10.1f %10.1f a grain-step   %s' % (per_grain(cost), per_grain(called.get(name, 0)), name))
    if o.self_test:
        print('It works; at this size the figures mean nothing.')


if __name__ == '__main__':
    main()
