#!/usr/bin/env python3
"""Collisions a second of elastic hard spheres in a periodic cube by the event-driven solver, one thread.

    benchmarks/hard/run.py                         fractions 0.1, 0.3 and 0.49; 1372, 10,976, 97,556 and 1,000,188 spheres
    benchmarks/hard/run.py --sizes 7 --fractions 0.3     4 k^3 spheres for each size k
    benchmarks/hard/run.py --repeats 7             best of so many runs of each (3)
    benchmarks/hard/run.py --instructions          counts instructions a collision instead, by callgrind, of up to 10,976
    benchmarks/hard/run.py --out speed.csv         a table of it
    benchmarks/hard/run.py --program PATH          a build of the example `hard_gas_speed`; without it this one is built and taken
    benchmarks/hard/run.py --self-test             a tiny size, in seconds: does it work at all?

Spheres begin on a face-centred lattice, and leave it before time is taken. Time is that of the processor, so that other programs count for
little but the caches they use; neighbour lists and all bookkeeping of a run are in it. Collisions are counted, and nothing else. Standard
library only."""
import argparse, csv, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = (7, 14, 29, 63)     # k of 4 k^3 spheres
FRACTIONS = (0.1, 0.3, 0.49)
# Measured on a busy machine, processor time [collisions a second]: the fastest published program (Smallenburg 2022, one event a
# particle, -Ofast -march=native), and DynamO 1.7.
PEERS = {(1372, 0.1): ('2.0e5', '7.3e4'), (1372, 0.3): ('5.8-7.0e5', '1.1-1.4e5'), (1372, 0.49): ('1.0-1.25e6', '1.2-1.4e5'),
         (10976, 0.1): ('1.1-1.2e5', '5.1e4'), (10976, 0.3): ('3.0-4.0e5', '6.4-8.4e4'), (10976, 0.49): ('6.0e5', '7.3e4'),
         (97556, 0.1): ('6.4e4', ''), (97556, 0.3): ('1.4e5', '4.5e4'), (97556, 0.49): ('2.7e5', '4.8e4'), (1000188, 0.3): ('9.6e4', '')}


def collisions_for(n):
    """Collisions a sphere that are timed: a few million in all, and at least some for each."""
    return max(8.0, min(1000.0, 4e6 / n))


def build():
    subprocess.run(['cargo', 'build', '--release', '--quiet', '--package', 'tumble-engine', '--example', 'hard_gas_speed'], cwd=ROOT, check=True)
    target = os.environ.get('CARGO_TARGET_DIR', os.path.join(ROOT, 'target'))
    return os.path.join(target, 'release', 'examples', 'hard_gas_speed')


def told(program, k, fraction, collisions, *before):
    """What a run says: collisions a second, collisions from its start, stale events and renewed neighbours a collision."""
    line = subprocess.run([*before, program, str(k), repr(fraction), repr(collisions)], capture_output=True, text=True, check=True,
                          env={**os.environ, 'RAYON_NUM_THREADS': '1'}).stdout
    found = re.search(r'([\d.e+]+) collisions a second over \d+ of (\d+); ([\d.]+) stale events and ([\d.]+) renewed', line)
    return float(found[1]), int(found[2]), float(found[3]), float(found[4])


def instructions(program, k, fraction, collisions):
    """Instructions and collisions of a whole run."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, 'callgrind.out')
        _, n, _, _ = told(program, k, fraction, collisions, 'valgrind', '--tool=callgrind', '--callgrind-out-file=' + out)
        with open(out) as file:
            total = next(int(line.split()[1]) for line in file if line.startswith(('summary:', 'totals:')))
    return total, n


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--sizes', type=int, nargs='+', default=SIZES, metavar='K')
    options.add_argument('--fractions', type=float, nargs='+', default=FRACTIONS, metavar='F')
    options.add_argument('--repeats', type=int, default=3)
    options.add_argument('--instructions', action='store_true')
    options.add_argument('--out', metavar='CSV')
    options.add_argument('--program')
    options.add_argument('--self-test', action='store_true')
    o = options.parse_args()
    if o.self_test:
        o.sizes, o.repeats = [3], 1
    program = os.path.abspath(o.program) if o.program else build()
    rows = []
    if o.instructions:
        print('%9s %8s %14s' % ('spheres', 'fraction', 'instructions a collision'))
        for k in [k for k in o.sizes if k <= 14]:
            for fraction in o.fractions:
                # The difference of two lengths: starting up does not count. Totals of callgrind are of the whole run, the lattice included.
                short, few = instructions(program, k, fraction, 10.0)
                long, many = instructions(program, k, fraction, 40.0)
                rows.append((4 * k ** 3, fraction, (long - short) / (many - few)))
                print('%9d %8g %14.0f' % rows[-1], flush=True)
        header = ('spheres', 'fraction', 'instructions_a_collision')
    else:
        print('%9s %8s %12s %7s %8s   %s' % ('spheres', 'fraction', 'coll. a s', 'stale', 'renewed', 'fastest published, DynamO'))
        for k in o.sizes:
            n = 4 * k ** 3
            for fraction in o.fractions:
                best = max(told(program, k, fraction, 10.0 if o.self_test else collisions_for(n)) for _ in range(o.repeats))
                rows.append((n, fraction, best[0], best[2], best[3]))
                print('%9d %8g %12.3e %7.2f %8.2f   %s' % (*rows[-1], ', '.join(PEERS.get((n, fraction), ()))), flush=True)
        rate = {row[:2]: row[2] for row in rows}
        for fraction in o.fractions:
            ends = [rate.get((4 * k ** 3, fraction)) for k in (min(o.sizes), max(o.sizes))]
            if len(o.sizes) > 1 and all(ends):
                print('fraction %g: a collision costs %.2f times as much for the most as for the fewest' % (fraction, ends[0] / ends[1]))
        header = ('spheres', 'fraction', 'collisions_a_second', 'stale_a_collision', 'renewed_a_collision')
    if o.out:
        with open(o.out, 'w', newline='') as file:
            csv.writer(file).writerows([header, *rows])
    if o.self_test:
        print('It works; at this size the figures mean nothing.')


if __name__ == '__main__':
    main()
