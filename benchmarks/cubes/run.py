#!/usr/bin/env python3
"""Counts the instructions of a step of settled cubes, and how many of them find where the cubes touch.

    benchmarks/cubes/run.py                      instructions a contact-step: all, geometry, the rest
    benchmarks/cubes/run.py --functions 20       and the functions in which most of them are spent
    benchmarks/cubes/run.py --law hertz          by another law than linear springs: hertz, pressure, volume, sub-contacts, deepest-point
    benchmarks/cubes/run.py --shape hull         of polyhedra with 20 corners instead of cubes
    benchmarks/cubes/run.py --lattice 4 4 6      fewer of them: some laws take long to settle
    benchmarks/cubes/run.py --yade               time a contact-step against YADE's polyhedra, from the same start in one run
    benchmarks/cubes/run.py --cache DIR          keeps the settled bed in DIR; without it it is made anew
    benchmarks/cubes/run.py --program PATH       another build of tumble; without it this one is built and taken
    benchmarks/cubes/run.py --self-test          a tiny size, in seconds: does it work at all?

The bed is settled once by `tumble run`. A figure is the difference of two `tumble resume` of different length from the
same settled state, counted by callgrind, so that starting up does not count; one thread. Geometry is what is spent in the
functions of QUERIES and in all that they call. The rest is the engine: moving grains, listing pairs that may touch soon,
the law, contact history, forces; and pairs that are listed and do not touch count as much as those that do. All of it is
shared out among the contacts. Valgrind must be installed, and Debian's yade for --yade, which README.md explains. Standard library
only.
"""
import argparse, importlib.util, json, math, os, random, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EDGE = 10e-3        # of a cube [m]
DENSITY = 2500.0    # [kg/m3]
GRAVITY = 9.81      # [m/s2]
SPACING = 1.8 * EDGE    # of the lattice that the cubes fall from: a little more than their diagonal [m]
LATTICE = (6, 6, 17)    # cubes along each axis
WARM = 5            # steps that are not counted
STEPS = 50          # steps that are
CORNERS = 20        # of a hull
LAWS = {'linear': 'linear = { stiffness = "10 kN/m" }', 'hertz': 'hertz_mindlin = {}',
        'pressure': 'pressure = { stiffness = "3 GPa/m" }', 'volume': 'volume = { stiffness = "200 kN/m" }',
        'sub-contacts': 'linear = { stiffness = "10 kN/m" }\nfaces = "sub-contacts"',
        'deepest-point': 'linear = { stiffness = "10 kN/m" }\nfaces = "deepest-point"'}

YADE_STIFFNESS = 1e8    # force over shared volume [N/m3]: a whole face is as stiff as under the linear law
YADE_STEP = 1e-5        # [s]
YADE_STEPS = (5, 20)    # steps that are not timed, and that are
OWN_STEPS = (50, 500)   # the same of Tumble: they are shorter
YADE_LAWS = ('linear', 'volume')    # of Tumble, that are compared

# Where the engine asks the geometry: two bodies, a body and a wall, and how deep they are in each other.
QUERIES = ('tumble_geometry::narrow::contact_body::contact_bodies_by',
           'tumble_geometry::narrow::contact_convex_surface::contact_body_surface',
           'tumble_geometry::narrow::contact_patch::contact_patch_in',
           'tumble_geometry::narrow::contact_patch::contact_patch_beyond_plane_in',
           'tumble_geometry::overlap::overlap_from',
           'tumble_geometry::overlap::depth_moments::depth_moments',
           'tumble_geometry::overlap::depth_moments::depth_moments_half_space')


def beds():
    """The benchmark of cylinders: what it does with settled beds, this one does."""
    spec = importlib.util.spec_from_file_location('beds', os.path.join(ROOT, 'benchmarks', 'cylinders', 'run.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shape(name):
    """A cube, or the hull of points on a ball in a spiral, each a little off it, of about the size of the cube."""
    if name == 'cube':
        return 'box = { size = [%r, %r, %r] }' % (EDGE, EDGE, EDGE)
    generator = random.Random(2)
    points = []
    for k in range(CORNERS):
        z, angle = 1 - (2 * k + 1) / CORNERS, 2.4 * k
        rho = math.sqrt(1 - z * z)
        radius = EDGE * generator.uniform(0.58, 0.68)
        points.append([radius * rho * math.cos(angle), radius * rho * math.sin(angle), radius * z])
    return 'polyhedron = { vertices = %r }' % points


def places(lattice):
    """Rows of a table of grains: a lattice of cubes, each turned in its own way."""
    generator = random.Random(1)
    for k in range(lattice[2]):
        for j in range(lattice[1]):
            for i in range(lattice[0]):
                q = [generator.gauss(0, 1) for _ in range(4)]
                length = math.sqrt(sum(c * c for c in q))
                yield [SPACING * (c + 0.5) for c in (i, j, k)] + [c / length for c in q]


def scene(lattice, law, kind, longest, places='file = "cubes.csv"', end=None):
    """Cubes that fall into a box and come to rest, or do not in the longest time [s]; or that begin at places, until an end [s]."""
    n_grains = math.prod(lattice)
    width, height = [SPACING * n for n in lattice[:2]], SPACING * lattice[2]
    fall = math.sqrt(2 * height / GRAVITY)
    # At rest: a cube's kinetic energy is on average a ten-thousandth of what lifts it by its own edge.
    at_rest = 1e-4 * n_grains * DENSITY * EDGE ** 4 * GRAVITY
    return '''title = "settled cubes"
[materials.grain]
density = %r
young = "5 MPa"
poisson = 0.3
restitution = 0.5
friction = 0.5
[law]
%s
[shapes.cube]
%s
[particles.grain]
shape = "cube"
[[walls]]
box = { from = [0, 0, 0], to = [%r, %r, 10], open = ["top"] }
[[insert]]
%s
[time]
end = %r
%s[output]
interval = 1000
frames = 1000
contacts = false
trajectory = "off"
checkpoint = 1000
report = false
''' % (DENSITY, LAWS[law], shape(kind), *width, places, end or fall + longest,
       '' if end else '[stop]\nkinetic_energy = %r\nafter = %r\n' % (at_rest, fall))


def settle(program, cache, lattice, law, kind, longest):
    """The settled run, from the cache if it is there and of the same scene."""
    name = '%ss-%d%s' % (kind, math.prod(lattice), '' if law == 'linear' else '-' + law)
    run, path = os.path.join(cache, name), os.path.join(cache, name + '.toml')
    text = scene(lattice, law, kind, longest)
    if os.path.exists(path) and os.path.exists(os.path.join(run, 'settled')):
        with open(path) as f:
            if f.read() == text:
                return run
    with open(os.path.join(cache, 'cubes.csv'), 'w') as f:
        f.write('x,y,z,qw,qx,qy,qz\n')
        f.writelines(','.join('%r' % v for v in row) + '\n' for row in places(lattice))
    with open(path, 'w') as f:
        f.write(text)
    print('settling %s' % name, file=sys.stderr)
    if subprocess.run([program, 'run', path, '--quiet', '--overwrite', '--out', run]).returncode != 0:
        sys.exit('%s did not settle' % path)
    with open(os.path.join(run, 'settled'), 'w'):
        pass
    return run


def by_yade(places, lattice, directory):
    """CPU seconds of a contact-step of YADE from these places, and its contacts and version."""
    job, answer = os.path.join(directory, 'job.json'), os.path.join(directory, 'answer.json')
    warm, steps = YADE_STEPS
    with open(job, 'w') as f:
        json.dump({'places': places, 'edge': EDGE, 'width': [SPACING * n for n in lattice[:2]], 'density': DENSITY, 'friction': 0.5,
                   'gravity': GRAVITY, 'stiffness': YADE_STIFFNESS, 'step': YADE_STEP, 'warm': warm, 'steps': steps,
                   'answer': answer}, f)
    if os.path.exists(answer):
        os.remove(answer)
    # YADE may crash while it leaves, after all is written.
    out = subprocess.run(['yade', '-n', '-x', '-j', '1', os.path.join(HERE, 'cubes_yade.py'), job], cwd=directory,
                         capture_output=True, text=True)
    if not os.path.exists(answer):
        sys.exit('yade gave no answer:\n%s' % out.stderr[-2000:])
    with open(answer) as f:
        told = json.load(f)
    contacts = 0.5 * (told['before'] + told['after'])
    if contacts == 0 or told['grains'] != len(places):
        sys.exit('yade has %d grains and %g contacts of %d' % (told['grains'], contacts, len(places)))
    return told['seconds'] / steps / contacts, contacts, told['version']


def by_tumble(program, law, lattice, directory, bed):
    """CPU seconds of a contact-step of Tumble from the places in `settled.csv`, and its contacts."""
    path = os.path.join(directory, 'start.toml')
    with open(path, 'w') as f:
        f.write(scene(lattice, law, 'cube', None, 'file = "settled.csv"\nmax_overlap = 0.5', 1.0))
    # The step is the automatic one: a first run tells how long it is.
    run = os.path.join(directory, 'run')
    order = lambda end: [program, 'run', path, '--quiet', '--overwrite', '--threads', '1', '--out', run, '--set', 'time.end=%r' % end]
    bed.cpu_seconds(order(1e-5))
    time, step, _, _ = bed.last_row(run)
    lengths = [time / step * (n - 0.5) for n in (OWN_STEPS[0], sum(OWN_STEPS))]
    costs, rows = [], []
    for length in lengths:
        costs.append(bed.cpu_seconds(order(length)))
        rows.append(bed.last_row(run))
    contacts = 0.5 * (rows[0][2] + rows[1][2])
    if contacts == 0 or rows[1][3] != math.prod(lattice):
        sys.exit('%d grains with %g contacts; it should have been %d that touch' % (rows[1][3], contacts, math.prod(lattice)))
    return (costs[1] - costs[0]) / (rows[1][1] - rows[0][1]) / contacts, contacts


def against_yade(o, program, cache, lattice, longest):
    """Both from the same settled bed, in turns."""
    if not shutil.which('yade'):
        sys.exit('yade is not installed. On Debian and Ubuntu: apt-get install yade (1.1 GB)')
    bed = beds()
    places = bed.settled_places(settle(program, cache, lattice, 'linear', 'cube', longest))
    figures = {name: [] for name in ('yade',) + YADE_LAWS}
    contacts = {}
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, 'settled.csv'), 'w') as f:
            f.write('x,y,z,qw,qx,qy,qz\n')
            f.writelines(','.join('%r' % v for v in row) + '\n' for row in places)
        for _ in range(o.rounds):
            cost, contacts['yade'], version = by_yade(places, lattice, directory)
            figures['yade'].append(cost)
            for law in YADE_LAWS:
                cost, contacts[law] = by_tumble(program, law, lattice, directory, bed)
                figures[law].append(cost)
    print('%d settled cubes, one thread, %d rounds in turns; the least CPU time a contact-step of each:' % (len(places), o.rounds))
    least = {name: min(costs) for name, costs in figures.items()}
    print('%-28s %8.0f contacts %10.3f us' % ('YADE %s, volume' % version, contacts['yade'], 1e6 * least['yade']))
    for law in YADE_LAWS:
        if least[law] <= 0:
            sys.exit('the difference of two runs was no time at all: measure more rounds (--rounds)')
        print('%-28s %8.0f contacts %10.3f us   YADE takes %.0f times as long' % (
            'Tumble, %s' % {'linear': 'mean depth', 'volume': 'volume'}[law], contacts[law], 1e6 * least[law],
            least['yade'] / least[law]))


def read_profile(path):
    """What callgrind wrote: instructions of each function by itself, and with all it calls where others call it."""
    own, called, names = {}, {}, {}

    def name(line):
        # "fn=(12) name" the first time, "fn=(12)" from then on.
        number, text = re.match(r'\w+=\((\d+)\)(?: (.*))?', line).groups()
        if text:
            names[number] = text.split("'")[0]
        return names[number]

    function = callee = None
    with open(path) as f:
        for line in f:
            if line.startswith('fn='):
                function = name(line)
            elif line.startswith('cfn='):
                callee = name(line)
            elif line.startswith('calls='):
                cost = int(next(f).split()[1])
                # A function that calls itself would count twice.
                if function != callee:
                    called[callee] = called.get(callee, 0) + cost
            elif line[:1] in '0123456789+-*':
                own[function] = own.get(function, 0) + int(line.split()[1])
    return own, called


def profile(command):
    """Of a command: all instructions, those of each function by itself, and with all that it calls."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'profile')
        out = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + path, *command],
                             capture_output=True, text=True)
        if out.returncode != 0 or not os.path.exists(path):
            sys.exit('no count for %s:\n%s' % (' '.join(command), out.stderr[-2000:]))
        return read_profile(path)


def is_query(name):
    return any(name == query or name.startswith(query + '::') for query in QUERIES)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--functions', type=int, default=0, metavar='N', help='shows the N functions that cost most by themselves')
    options.add_argument('--law', choices=LAWS, default='linear')
    options.add_argument('--lattice', type=int, nargs=3, default=LATTICE, help='grains along each axis')
    options.add_argument('--shape', choices=('cube', 'hull'), default='cube')
    options.add_argument('--yade', action='store_true', help='time against YADE')
    options.add_argument('--rounds', type=int, default=5, help='with --yade (default 5)')
    options.add_argument('--cache', help='directory for the settled bed')
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
    with tempfile.TemporaryDirectory() as directory:
        cache = os.path.abspath(o.cache or directory)
        os.makedirs(cache, exist_ok=True)
        if o.yade:
            against_yade(o, program, cache, lattice, longest)
            return
        run = settle(program, cache, lattice, o.law, o.shape, longest)
        resume = beds().resume
        (own_short, called_short), (_, first, _, _) = resume(program, run, WARM, profile)
        (own, called), (_, last, contacts, grains) = resume(program, run, WARM + o.steps, profile)
    if contacts == 0 or grains != math.prod(lattice):
        sys.exit('%d grains with %d contacts; it should have been %d that touch' % (grains, contacts, math.prod(lattice)))
    if not any(is_query(name) for name in called):
        sys.exit('no function of the program is one of %s' % ', '.join(QUERIES))
    per_contact = lambda cost: cost / (last - first) / contacts
    difference = lambda long, short: {name: cost - short.get(name, 0) for name, cost in long.items()}
    own, called = difference(own, own_short), difference(called, called_short)
    total = per_contact(sum(own.values()))
    geometry = per_contact(sum(cost for name, cost in called.items() if is_query(name)))
    print('%d %ss, %d contacts, %d steps; instructions a contact-step:' % (grains, o.shape, contacts, last - first))
    print('%10.1f in all' % total)
    print('%10.1f in the geometry of contacts' % geometry)
    print('%10.1f in the rest' % (total - geometry))
    for name, cost in sorted(own.items(), key=lambda entry: -entry[1])[:o.functions]:
        print('%10.1f %10.1f   %s' % (per_contact(cost), per_contact(called.get(name, 0)), name))
    if o.self_test:
        print('It works; at this size the figures mean nothing.')


if __name__ == '__main__':
    main()
