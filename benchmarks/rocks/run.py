#!/usr/bin/env python3
"""Runs a bed of polyhedra with very many corners under the volume law: 1,000 stones with 1,000 corners each.

    benchmarks/rocks/run.py                        a second of it, on two threads: how long it takes
    benchmarks/rocks/run.py --end 0.02             another time [s]
    benchmarks/rocks/run.py --corners 200          other stones, and --grains 100 fewer of them
    benchmarks/rocks/run.py --law linear           by another law than the volume: linear, pressure
    benchmarks/rocks/run.py --instructions 20      instructions a contact-step from --end on, counted by Valgrind, and the functions
                                                   in which most of them are spent
    benchmarks/rocks/run.py --scene DIR            only writes the scene into DIR
    benchmarks/rocks/run.py --out DIR              keeps the results; --program PATH takes another build
    benchmarks/rocks/run.py --self-test            a tiny size, in seconds: does it work at all?

The stones are hulls of points on an ellipsoid, spread evenly and each moved a little, ten forms in all. They are filled into a box, fall
and come to rest. Standard library only; Valgrind for --instructions.
"""
import argparse, importlib.util, json, math, os, random, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DIAMETER = 10e-3    # of the ball about a stone, at its mean axis [m]
FORMS = 10          # that stones have
FILLED = 0.25       # by the stones, at the start
STEP = 2e-5         # of the run [s]: the automatic one, a tenth of it, follows friction springs and the flattest sides more closely
WARM = 5            # steps that are not counted
STEPS = 20          # steps that are
LAWS = {'volume': 'volume = { stiffness = "2 MN/m" }', 'linear': 'linear = { stiffness = "20 kN/m" }',
        'pressure': 'pressure = { stiffness = "3 GPa/m" }'}


def module(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(ROOT, 'benchmarks', name, 'run.py'))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def form(generator, corners):
    """Points on an ellipsoid, in a spiral, each moved along it by up to a third of the way to the next: all are corners of the hull."""
    axes = [0.5 * DIAMETER * generator.uniform(0.8, 1.2) for _ in range(3)]
    step = math.sqrt(4 * math.pi / corners) / 3
    points = []
    for k in range(corners):
        z, angle = 1 - (2 * k + 1) / corners, math.pi * (3 - math.sqrt(5)) * k
        rho = math.sqrt(1 - z * z)
        point = [rho * math.cos(angle) , rho * math.sin(angle), z]
        point = [c + step * generator.uniform(-1, 1) for c in point]
        length = math.sqrt(sum(c * c for c in point))
        points.append([axis * c / length for axis, c in zip(axes, point)])
    return points


def scene(corners, grains, law, end, report):
    # A box as wide as the stones in it are high, about.
    width = DIAMETER * round(grains ** (1 / 3), 6)
    generator = random.Random(5)
    shapes = ''.join('[shapes.form%d]\npolyhedron = { vertices = %s }\n[particles.stone%d]\nshape = "form%d"\n' % (
        k, json.dumps(form(generator, corners)), k, k) for k in range(FORMS))
    each = grains // FORMS
    height = grains * math.pi / 6 * DIAMETER ** 3 / FILLED / width ** 2
    fills = ''.join('[[insert]]\nparticles = "stone%d"\nfill = { region = { box = { from = [0, 0, 0], to = [%r, %r, %r] } }, count = %d }\n' % (
        k, width, width, height, each) for k in range(FORMS))
    return '''title = "stones with %d corners"
seed = 1
[materials.stone]
density = 2650.0
young = "50 MPa"
restitution = 0.5
friction = 0.5
[law]
%s
%s[[walls]]
box = { from = [0, 0, 0], to = [%r, %r, 1], open = ["top"] }
%s[time]
end = %r
step = %r
[output]
interval = 0.01
frames = 0.1
trajectory = 0.02
checkpoint = 0.25
report = %s
''' % (corners, LAWS[law], shapes, width, width, fills, end, STEP, str(report).lower())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--corners', type=int, default=1000, help='of a stone (default 1000)')
    options.add_argument('--grains', type=int, default=1000, help='stones, a multiple of ten (default 1000)')
    options.add_argument('--law', choices=LAWS, default='volume')
    options.add_argument('--end', type=float, default=1.0, help='time that is run [s] (default 1)')
    options.add_argument('--threads', type=int, default=2)
    options.add_argument('--instructions', type=int, metavar='N', help='counts instead, and shows the N functions that cost most')
    options.add_argument('--scene', help='directory that the scene is written into, and no more')
    options.add_argument('--out', help='directory of the results')
    options.add_argument('--program', help='a build of tumble; without it this one is built and taken')
    options.add_argument('--self-test', action='store_true')
    o = options.parse_args()
    if o.self_test:
        o.corners, o.grains, o.end = 60, 20, 0.002
    if o.grains < FORMS or o.grains % FORMS != 0:
        sys.exit('--grains must be a multiple of %d' % FORMS)
    # Pictures would take most of what is counted.
    text = scene(o.corners, o.grains, o.law, o.end, o.instructions is None)
    if o.scene:
        os.makedirs(o.scene, exist_ok=True)
        with open(os.path.join(o.scene, 'rocks.toml'), 'w') as f:
            f.write(text)
        return
    program = o.program
    if not program:
        subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble'], cwd=ROOT, check=True)
        target = os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target'))
        program = os.path.join(target, 'release', 'tumble')
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as directory:
        path, out = os.path.join(directory, 'rocks.toml'), o.out or os.path.join(directory, 'run')
        with open(path, 'w') as f:
            f.write(text)
        begin = time.monotonic()
        process = subprocess.Popen([program, 'run', path, '--overwrite', '--threads', str(o.threads), '--out', out],
                                   stdout=sys.stderr)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit('the run failed')
        elapsed = time.monotonic() - begin
        beds = module('cylinders')
        simulated, steps, contacts, grains = beds.last_row(out)
        print('%d stones with %d corners, %d contacts at the end; %.4g s simulated in %d steps' % (
            grains, o.corners, contacts, simulated, steps))
        print('%.0f s elapsed on %d threads, %.0f s of processor time, %d MB at most' % (
            elapsed, o.threads, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024))
        if o.instructions is not None:
            count(program, out, beds, o.instructions)
    if o.self_test:
        print('It works; at this size the figures mean nothing.')


def count(program, run, beds, n_functions):
    """Instructions a contact-step, as the benchmark of cubes counts them."""
    cubes = module('cubes')
    (short, called_short), (_, first, _, _) = beds.resume(program, run, WARM, cubes.profile)
    (own, called), (_, last, contacts, _) = beds.resume(program, run, WARM + STEPS, cubes.profile)
    if contacts == 0:
        sys.exit('nothing touches')
    each = lambda cost: cost / (last - first) / contacts
    own = {name: each(cost - short.get(name, 0)) for name, cost in own.items()}
    called = {name: each(cost - called_short.get(name, 0)) for name, cost in called.items()}
    print('%d contacts, %d steps; instructions a contact-step, by themselves and with all they call:' % (contacts, last - first))
    print('%10.0f in all' % sum(own.values()))
    for name, cost in sorted(own.items(), key=lambda entry: -entry[1])[:n_functions]:
        print('%10.0f %10.0f   %s' % (cost, called.get(name, 0), name))


if __name__ == '__main__':
    main()
