#!/usr/bin/env python3
"""Times a step of settled cylinders against spheres, and against the same cylinders as clumps of 20 balls, in one run.

    benchmarks/cylinders/run.py                      CPU time, cylinders as high as wide
    benchmarks/cylinders/run.py --shapes 0.5 1 5     other heights over the diameter, too
    benchmarks/cylinders/run.py --instructions       instructions instead of time, counted by Valgrind
    benchmarks/cylinders/run.py --without-clumps     spheres and cylinders only: clumps take most of the time
    benchmarks/cylinders/run.py --cache DIR          keeps the settled beds in DIR; without it they are made anew
    benchmarks/cylinders/run.py --program PATH       another build of tumble; without it this one is built and taken
    benchmarks/cylinders/run.py --self-test          a tiny size, in seconds: does it work at all?

Each bed is settled once by `tumble run`. A figure is the difference of two `tumble resume` of different length from the
same settled state, so that starting up does not count; user time of the process, one thread, the minimum of several
rounds in which all beds take turns. Valgrind must be installed for --instructions. Standard library only.
"""
import argparse, csv, math, os, shutil, struct, subprocess, sys, tempfile, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DIAMETER = 10e-3    # of the ball as large as every grain but the clumps [m]
DENSITY = 1200.0    # [kg/m3]
WIDTH = 10e-2       # of the box [m]
GRAVITY = 9.81      # [m/s2]
FILLED = 0.3        # by the balls that hold the grains, at the start
SINKING = 65e-3     # how long clumps are given: they cost too much to wait until they rest [s]
WARM = {False: 20, True: 5}     # steps that are not counted: for time and for instructions
BARS = (6.0, 4.0)   # a contact-step over a sphere's at most; clumps over cylinders at least

# Steps that are measured, so that each takes about as long: for time and for instructions.
STEPS = {'sphere': (4000, 200), 'cylinder': (500, 50), 'clump': (60, 5)}


def ring(n, radius, z, turned=0.0):
    angles = [2 * math.pi * (k + turned) / n for k in range(n)]
    return [(radius * math.cos(a), radius * math.sin(a), z) for a in angles]


def balls(aspect):
    """20 equal balls within a cylinder of radius 1 and height 2 aspect: their centres and radius.

    The layers touch both ends and the rings the side. The radius is the one that leaves the least rms distance between
    the cylinder's surface and the balls; README.md has these distances.
    """
    if aspect == 1:
        r = 0.45
        end = lambda z: ring(6, 1 - r, z) + [(0.0, 0.0, z)]
        return end(r - 1) + ring(6, 1 - r, 0.0, 0.5) + end(1 - r), r
    if aspect == 0.5:
        r = 0.34
        return [c for z, turned in ((r - 0.5, 0.0), (0.5 - r, 0.5)) for c in ring(9, 1 - r, z, turned) + [(0.0, 0.0, z)]], r
    # A rod is a row.
    return [(0.0, 0.0, (aspect - 1) * (2 * k / 19 - 1)) for k in range(20)], 1.0


def check_balls():
    """20 balls that reach the cylinder's side and both ends, and no farther."""
    for aspect in (0.5, 1.0, 5.0):
        centres, r = balls(aspect)
        assert len(centres) == 20, aspect
        for reach, size in ((max(math.hypot(x, y) for x, y, _ in centres), 1.0), (max(z for _, _, z in centres), aspect),
                            (max(-z for _, _, z in centres), aspect)):
            assert abs(reach + r - size) < 1e-12, (aspect, reach + r, size)


def cylinder_radius(aspect):
    """Of the cylinder as large as the ball of DIAMETER [m]."""
    return 0.5 * DIAMETER * (2 / (3 * aspect)) ** (1 / 3)


def shape(kind, aspect):
    if kind == 'sphere':
        return '[particles.grain]\ndiameter = %r\n' % DIAMETER
    radius = cylinder_radius(aspect)
    if kind == 'cylinder':
        form = 'cylinder = { radius = %r, height = %r }' % (radius, 2 * radius * aspect)
    else:
        centres, r = balls(aspect)
        part = '    { sphere = { radius = %r }, position = [%s] },\n'
        parts = ''.join(part % (r * radius, ', '.join(repr(radius * x) for x in c)) for c in centres)
        form = 'clump.parts = [\n%s]' % parts
    return '[shapes.grain]\n%s\n[particles.grain]\nshape = "grain"\n' % form


def scene(kind, aspect, n_grains, longest):
    """Grains that fall into a box and come to rest, or do not in the longest time [s]; clumps begin where cylinders are."""
    if kind == 'clump':
        insert, end, stop = 'file = "cylinders.csv"\nmax_overlap = 0.1', min(longest, SINKING), ''
    else:
        holding = 0.5 * DIAMETER if kind == 'sphere' else cylinder_radius(aspect) * math.hypot(1, aspect)
        # The balls keep clear of the walls, which costs half a ball on each side.
        height = n_grains * 4 / 3 * math.pi * holding ** 3 / FILLED / (WIDTH - holding) ** 2 + 2 * holding
        fall = math.sqrt(2 * height / GRAVITY)
        insert = 'fill = { region = { box = { from = [0, 0, 0], to = [%r, %r, %r] } }, count = %d }' % (
            WIDTH, WIDTH, height, n_grains)
        # At rest: a grain's kinetic energy is on average a ten-thousandth of what lifts it by its own diameter.
        at_rest = 1e-4 * n_grains * DENSITY * math.pi / 6 * DIAMETER ** 4 * GRAVITY
        end, stop = fall + longest, '[stop]\nkinetic_energy = %r\nafter = %r\n' % (at_rest, fall)
    return '''title = "settled grains: %s"
[materials.grain]
density = %r
restitution = 0.5
friction = 0.4
[law]
linear = { stiffness = "5 kN/m" }
%s[[walls]]
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
''' % (kind, DENSITY, shape(kind, aspect), WIDTH, WIDTH, insert, end, stop)


def settled_places(run):
    """Positions and orientations of the last frame of a run, as rows of a table of grains."""
    frames = os.path.join(run, 'frames')
    with open(os.path.join(frames, max(f for f in os.listdir(frames) if f.startswith('particles-'))), 'rb') as f:
        data = f.read()
    start = data.index(b'<AppendedData')
    xml, appended = data[:start].decode(), data[data.index(b'_', start) + 1:]

    def array(mark):
        # The first array behind the mark: its blocks, each with its compressed length.
        at = int(xml[xml.index('offset="', xml.index(mark)) + 8:].split('"')[0])
        n_blocks = struct.unpack_from('<Q', appended, at)[0]
        lengths = struct.unpack_from('<%dQ' % n_blocks, appended, at + 24)
        at += 24 + 8 * n_blocks
        out = b''
        for length in lengths:
            out += zlib.decompress(appended[at:at + length])
            at += length
        return struct.unpack('<%dd' % (len(out) // 8), out)

    places, turns = array('<Points>'), array('Name="orientation"')
    return [places[3 * i:3 * i + 3] + turns[4 * i:4 * i + 4] for i in range(len(places) // 3)]


def settle(program, cache, name, kind, aspect, n_grains, longest, cylinders):
    """The settled run, from the cache if it is there and of the same scene."""
    run = os.path.join(cache, name)
    text = scene(kind, aspect, n_grains, longest)
    path = os.path.join(cache, name + '.toml')
    if os.path.exists(path) and os.path.exists(os.path.join(run, 'settled')):
        with open(path) as f:
            if f.read() == text:
                return run
    if kind == 'clump':
        with open(os.path.join(cache, 'cylinders.csv'), 'w') as f:
            f.write('x,y,z,qw,qx,qy,qz\n')
            f.writelines(','.join('%r' % v for v in row) + '\n' for row in settled_places(cylinders))
    with open(path, 'w') as f:
        f.write(text)
    print('settling %s' % name, file=sys.stderr)
    if subprocess.run([program, 'run', path, '--quiet', '--overwrite', '--out', run]).returncode != 0:
        sys.exit('%s did not settle' % path)
    with open(os.path.join(run, 'settled'), 'w'):
        pass
    return run


def cpu_seconds(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    message = process.stderr.read().decode()
    process.stderr.close()
    if process.returncode != 0:
        sys.exit('%s failed:\n%s' % (' '.join(command), message))
    return usage.ru_utime


def instructions(command):
    out = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command],
                         capture_output=True, text=True)
    for line in out.stderr.splitlines():
        if 'Collected :' in line:
            return int(line.split(':')[1])
    sys.exit('no count for %s:\n%s' % (' '.join(command), out.stderr[-2000:]))


def last_row(run):
    with open(os.path.join(run, 'series.csv')) as f:
        row = list(csv.DictReader(f))[-1]
    return float(row['time_s']), int(row['step']), int(row['contacts']), int(row['grains'])


def resume(program, run, steps, measure):
    """Cost of so many steps with starting up, and the last row of what came out."""
    time, step, _, _ = last_row(run)
    with tempfile.TemporaryDirectory() as directory:
        copy = os.path.join(directory, 'run')
        shutil.copytree(run, copy)
        until = time + (steps - 0.5) * time / step
        cost = measure([program, 'resume', copy, '--quiet', '--threads', '1', '--until', '%.12g s' % until])
        return cost, last_row(copy)


def difference(program, run, warm, steps, measure):
    """Cost of a step, contacts and grains; of the two lengths' difference."""
    short, (_, first, _, _) = resume(program, run, warm, measure)
    long, (_, last, contacts, grains) = resume(program, run, warm + steps, measure)
    return (long - short) / (last - first), contacts, grains


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--shapes', type=float, nargs='+', default=[1.0], choices=[0.5, 1.0, 5.0], metavar='H/D',
                         help='heights over the diameter: 0.5, 1, 5 (default 1)')
    options.add_argument('--instructions', action='store_true')
    options.add_argument('--without-clumps', action='store_true', help='cylinders and spheres only: clumps take most of the time')
    options.add_argument('--cache', help='directory for the settled beds')
    options.add_argument('--program', help='a build of tumble')
    options.add_argument('--grains', type=int, default=1500, help='grains in a bed (default 1500)')
    options.add_argument('--rounds', type=int, default=5, help='(default 5; instructions need one)')
    options.add_argument('--steps', type=float, default=1.0, help='factor on the number of steps measured (default 1)')
    options.add_argument('--self-test', action='store_true')
    o = options.parse_args()
    o.longest = 2.0
    if o.self_test:
        check_balls()
        o.grains, o.rounds, o.steps, o.longest = 12, 1, 0.1, 0.02
    program = o.program
    if not program:
        subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble'], cwd=ROOT, check=True)
        target = os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target'))
        program = os.path.join(target, 'release', 'tumble')
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as directory:
        cache = os.path.abspath(o.cache or directory)
        os.makedirs(cache, exist_ok=True)
        compare(o, program, cache)
    if o.self_test:
        print('It works; at this size the figures mean nothing.')


def compare(o, program, cache):
    beds = {('sphere', None): settle(program, cache, 'sphere-%d' % o.grains, 'sphere', None, o.grains, o.longest, None)}
    for aspect in o.shapes:
        cylinders = None
        for kind in ('cylinder',) if o.without_clumps else ('cylinder', 'clump'):
            name = '%s-%g-%d' % (kind, aspect, o.grains)
            beds[kind, aspect] = settle(program, cache, name, kind, aspect, o.grains, o.longest, cylinders)
            cylinders = beds[kind, aspect]
    measure = instructions if o.instructions else cpu_seconds
    figures = {bed: [] for bed in beds}
    for _ in range(1 if o.instructions else o.rounds):
        for bed, run in beds.items():
            steps = max(1, round(o.steps * STEPS[bed[0]][1 if o.instructions else 0]))
            figures[bed].append(difference(program, run, WARM[o.instructions], steps, measure))
    unit, scale = ('instructions', 1) if o.instructions else ('ns', 1e9)
    print('%-18s %7s %9s %18s %18s   %s' % ('bed', 'grains', 'contacts', unit + ' a contact', unit + ' a grain',
                                           'a contact in each round'))
    best = {}
    for (kind, aspect), rounds in figures.items():
        cost, contacts, grains = min(rounds)
        if contacts == 0 or grains != o.grains:
            sys.exit('%s: %d grains with %d contacts; it should have been %d that touch' % (kind, grains, contacts, o.grains))
        best[kind, aspect] = (scale * cost / contacts, scale * cost / grains)
        print('%-18s %7d %9d %18.1f %18.1f   %s' % (
            kind if aspect is None else '%s H/D %g' % (kind, aspect), grains, contacts, *best[kind, aspect],
            ' '.join('%.1f' % (scale * r[0] / r[1]) for r in rounds)))
    # A clock ticks in milliseconds: of a few steps it may tell nothing.
    if any(cost <= 0 for costs in best.values() for cost in costs):
        if not o.self_test:
            sys.exit('the difference of two runs was no time at all: measure more steps (--steps) or more rounds')
        print('too short for the clock: nothing is compared')
        return
    for aspect in o.shapes:
        of_contact, of_grain = best['cylinder', aspect]
        print('H/D %g: a contact of cylinders costs %.2f times a sphere\'s (bar: at most %g)' % (
            aspect, of_contact / best['sphere', None][0], BARS[0]))
        if not o.without_clumps:
            print('H/D %g: a clump of 20 balls costs %.2f times a cylinder (bar: at least %g); 20 spheres that are no clump, %.2f '
                  'times' % (aspect, best['clump', aspect][1] / of_grain, BARS[1], 20 * best['sphere', None][1] / of_grain))


if __name__ == '__main__':
    main()
