#!/usr/bin/env python3
"""Times a step of 10,000 settled spheres in Tumble, LAMMPS and LIGGGHTS, in one run.

    benchmarks/spheres/run.py                 time: CPU nanoseconds a particle-step, minimum of several interleaved runs
    benchmarks/spheres/run.py --instructions  instructions a particle-step, counted by Valgrind
    benchmarks/spheres/run.py --million       Tumble alone: 1,000,000 spheres against 10,000, time and memory
    benchmarks/spheres/run.py --threads       Tumble alone: 100,000 spheres on two threads against one, elapsed time

A figure is the difference of a long and a short run, so that starting up does not count. The short run also serves
as the warm-up of 200 steps. All codes run on one thread. LAMMPS, LIGGGHTS and Valgrind are Debian's packages; what is
missing is installed with apt-get (as root) or left out. Standard library only.
"""
import argparse, csv, math, os, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARM = 200
STEP = 5e-5
WIDTH = 0.23
SEAM = 6.9e-5


def install(*packages):
    if os.geteuid() == 0 and shutil.which('apt-get'):
        subprocess.run(['apt-get', 'update', '-q'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(['apt-get', 'install', '-y', '-q', *packages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def cpu_seconds(command, cwd):
    """User time of a command, and its peak memory in KiB."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=dict(os.environ, OMP_NUM_THREADS='1'))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit('%s failed:\n%s' % (command[0], process.stderr.read().decode()))
    process.stderr.close()
    return usage.ru_utime, usage.ru_maxrss


def instructions(command, cwd):
    out = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command], cwd=cwd,
                         capture_output=True, text=True)
    for line in out.stderr.splitlines():
        if 'Collected :' in line:
            return int(line.split(':')[1])
    sys.exit('no count for %s:\n%s' % (command[0], out.stderr[-2000:]))


def write_data(rows, path):
    with open(path, 'w') as f:
        f.write('spheres\n\n%d atoms\n1 atom types\n\n-0.001 0.231 xlo xhi\n-0.001 0.231 ylo yhi\n-0.001 0.6 zlo zhi\n\nAtoms\n\n' % len(rows))
        for r in rows:
            f.write('%s 1 %g 2500 %s %s %s\n' % (r['id'], 2 * float(r['radius']), r['x'], r['y'], r['z']))


def tumble(directory, scene, steps, *more):
    target = os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target'))
    return [os.path.join(target, 'release', 'tumble'), 'run', scene, '--quiet', '--threads', '1', '--overwrite',
            '--out', os.path.join(directory, 'out'), '--set', 'time.end=%r' % (steps * STEP), *more]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--instructions', action='store_true')
    options.add_argument('--million', action='store_true')
    options.add_argument('--threads', action='store_true')
    options.add_argument('--steps', type=int, help='steps that are measured (default 1000; 100 for instructions)')
    options.add_argument('--rounds', type=int, default=7, help='runs of each code (default 7)')
    o = options.parse_args()
    subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble'], cwd=ROOT, check=True)
    with open(os.path.join(HERE, 'settled.csv')) as f:
        rows = list(csv.DictReader(f))
    with tempfile.TemporaryDirectory() as directory:
        if o.million:
            return million(o, directory, rows)
        if o.threads:
            return threads(o, directory, rows)
        wanted = {'lmp': 'lammps', 'liggghts': 'liggghts'}
        if o.instructions:
            wanted['valgrind'] = 'valgrind'
        missing = [package for program, package in wanted.items() if not shutil.which(program)]
        if missing:
            install(*missing)
        for name in ('lammps', 'liggghts'):
            write_data(rows, os.path.join(directory, name + '.data'))
            shutil.copy(os.path.join(HERE, 'in.' + name), directory)
        scene = os.path.join(HERE, 'settled.toml')
        codes = {'tumble': lambda n: tumble(directory, scene, n)}
        if shutil.which('lmp'):
            codes['lammps'] = lambda n: ['lmp', '-in', 'in.lammps', '-var', 'steps', str(n), '-log', 'none', '-screen', 'none']
        if shutil.which('liggghts'):
            codes['liggghts'] = lambda n: ['liggghts', '-in', 'in.liggghts', '-var', 'steps', str(n), '-log', 'none', '-screen', 'none']
        steps = o.steps or (100 if o.instructions else 1000)
        figures = {name: [] for name in codes}
        for round_number in range(1 if o.instructions else o.rounds):
            for name, command in codes.items():
                measure = instructions if o.instructions else lambda c, d: cpu_seconds(c, d)[0]
                difference = measure(command(WARM + steps), directory) - measure(command(WARM), directory)
                figures[name].append(difference / (steps * len(rows)) * (1 if o.instructions else 1e9))
        unit = 'instructions' if o.instructions else 'ns'
        print('%-10s %12s   (%d steps after %d, one thread)' % ('code', unit, steps, WARM))
        for name, values in figures.items():
            print('%-10s %12.1f   x %.2f of tumble   all: %s' % (
                name, min(values), min(values) / min(figures['tumble']), ' '.join('%.1f' % v for v in values)))


def tiled(directory, rows, name, n_x, n_y):
    """The settled bed side by side with its mirror images, as a scene.

    Where a sphere pressed on a wall it presses on its own image, and at rest it stays so if the force is the same: two spheres
    with twice the overlap push twice as hard as one at a wall. SEAM between the tiles makes up for that, on average.
    """
    def along(place, tile):
        return (WIDTH + SEAM) * tile + (WIDTH - place if tile % 2 else place)
    with open(os.path.join(directory, name + '.csv'), 'w') as f:
        f.write('x,y,z,radius\n')
        for i in range(n_x):
            for j in range(n_y):
                for r in rows:
                    f.write('%.10f,%.10f,%s,%s\n' % (along(float(r['x']), i), along(float(r['y']), j), r['z'], r['radius']))
    sides = [WIDTH * n + SEAM * (n - 1) for n in (n_x, n_y)]
    with open(os.path.join(HERE, 'settled.toml')) as f:
        text = f.read().replace('to = [0.23, 0.23, 1]', 'to = [%.10g, %.10g, 1]' % tuple(sides))
    scene = os.path.join(directory, name + '.toml')
    with open(scene, 'w') as f:
        f.write(text.replace('settled.csv', name + '.csv'))
    return scene


def elapsed(command, cwd):
    begin = time.monotonic()
    cpu_seconds(command, cwd)
    return time.monotonic() - begin


def threads(o, directory, rows):
    """Ten beds side by side, on one thread and on two."""
    scene = tiled(directory, rows, 'hundred-thousand', 5, 2)
    steps = o.steps or 200
    # The least of each kind of run, and then their difference: what disturbs a short run would make a difference too small.
    least = {}
    for _ in range(o.rounds):
        for n_threads in (1, 2):
            for n in (WARM, WARM + steps):
                command = tumble(directory, scene, n)
                command[command.index('--threads') + 1] = str(n_threads)
                key = n_threads, n
                least[key] = min(elapsed(command, directory), least.get(key, math.inf))
    cost = {n: (least[n, WARM + steps] - least[n, WARM]) / (steps * 10 * len(rows)) * 1e9 for n in (1, 2)}
    for n_threads in (1, 2):
        print('%d threads: %7.1f ns elapsed a particle-step, %.2f times as fast as one' % (
            n_threads, cost[n_threads], cost[1] / cost[n_threads]))


def million(o, directory, rows):
    """A hundred beds side by side, against one."""
    tiles = 10
    scene = tiled(directory, rows, 'million', tiles, tiles)
    small = os.path.join(HERE, 'settled.toml')
    n, steps = tiles * tiles * len(rows), o.steps or 50
    many = steps * 20
    cost_small, cost_big, memory = [], [], 0
    for _ in range(max(1, o.rounds // 2)):
        cost_small.append((cpu_seconds(tumble(directory, small, WARM + many), directory)[0]
                           - cpu_seconds(tumble(directory, small, WARM), directory)[0]) / (many * len(rows)) * 1e9)
        long, peak = cpu_seconds(tumble(directory, scene, WARM + steps), directory)
        short, _ = cpu_seconds(tumble(directory, scene, WARM), directory)
        cost_big.append((long - short) / (steps * n) * 1e9)
        memory = max(memory, peak)
    print('%9d spheres: %7.1f ns a particle-step' % (len(rows), min(cost_small)))
    print('%9d spheres: %7.1f ns a particle-step, x %.2f; peak memory %d bytes a sphere' % (
        n, min(cost_big), min(cost_big) / min(cost_small), memory * 1024 // n))


if __name__ == '__main__':
    main()
